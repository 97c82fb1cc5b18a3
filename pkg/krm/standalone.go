package krm

import "bytes"

// Bytes returns the object with its edits as block YAML without indentation, ending in a newline. An object that came in
// as bytes keeps them, comments and styles included; one that came as a tree is printed.
func (i *Item) Bytes() ([]byte, error) {
	switch {
	case i.inBlock():
		text, err := i.blockText()
		if err != nil {
			return nil, err
		}
		return i.standAlone(text)
	case i.text != nil:
		text, err := i.blockText()
		if err != nil || len(text) > 0 && text[len(text)-1] == '\n' {
			return text, err
		}
		return i.checked(endLine(text))
	default:
		return i.printed()
	}
}

// printed prints the edited tree.
func (i *Item) printed() ([]byte, error) {
	if node := i.Node(); len(i.changes()) == 0 && i.broken == nil { // nothing is copied that nothing changes
		if text, ok := printSurely(node); ok {
			return text, nil
		}
	}
	tree, err := i.editedTree()
	if err != nil {
		return nil, err
	}
	return encode(tree)
}

// checked returns text where it says what the edited tree says, otherwise the tree printed.
func (i *Item) checked(text []byte) ([]byte, error) {
	tree, err := i.editedTree()
	if err != nil {
		return nil, err
	}
	if root, err := parseOne(text); err == nil && same(root, tree) {
		return text, nil
	}
	return encode(tree)
}

// standAlone takes the list's indentation off an item's text.
func (i *Item) standAlone(text []byte) ([]byte, error) {
	dash := i.list.layout.column
	whole := text[len(text)-1] == '\n'
	text = dedent(text, dash, objectColumn(text, dash), i.list.eol())
	if whole && !i.odd && !hasMarks(text) {
		return text, nil
	}
	return i.checked(text)
}

// objectColumn returns the column of an item's keys: that of what follows the dash, be it below it.
func objectColumn(text []byte, dash int) int {
	reader := lines{src: text}
	line, _ := reader.next()
	at := skipSpaces(line, dash+1)
	for at == len(line) || line[at] == '#' {
		var ok bool
		if line, ok = reader.next(); !ok {
			return dash + 1
		}
		at = indentation(line)
	}
	return at
}

// hasMarks tells whether a line without its indentation looks like a document marker.
func hasMarks(text []byte) bool {
	return bytes.HasPrefix(text, []byte("---")) || bytes.HasPrefix(text, []byte("...")) ||
		bytes.Contains(text, []byte("\n---")) || bytes.Contains(text, []byte("\n..."))
}

func endLine(text []byte) []byte {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		return append(text[:len(text):len(text)], '\n')
	}
	return text
}

func withLineEnds(text []byte, eol string) []byte {
	if eol == "\n" {
		return text
	}
	return bytes.ReplaceAll(text, []byte("\n"), []byte(eol))
}
