package krm

// layout says where the parts of a block-style list are in its bytes.
type layout struct {
	fields []field // in order
	items  *field  // nil where the list has none
	eol    string
	column int // of the items' dashes
	end    int // of the document's content: further fields go here
}

// field is one top-level field: its bytes from the key's line up to the next key's.
type field struct {
	name  string
	line  int
	start int // of the key's line
	value int // behind the key's colon
	end   int // of the content, without the blank lines and comments that follow
	next  int // where the next field starts
	empty bool
}

func (l *layout) field(name string) *field {
	for i := range l.fields {
		if l.fields[i].name == name {
			return &l.fields[i]
		}
	}
	return nil
}

// span is where an item is in the list's bytes: from its dash's line up to the end of its content, and up to the next
// dash or field.
type span struct{ start, end, next, line int }
