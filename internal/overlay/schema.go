package overlay

import (
	_ "embed"
	"strings"
	"sync"
)

// podTemplate is what k8s.io/api says about a PodTemplateSpec: a paragraph a struct, a line a field with its type and,
// for a list that is merged, its merge key. TestSchemaIsCurrent writes and checks it. It stands for the package
// itself, whose import would make the process start twice as long.
//
//go:embed podtemplate.schema
var podTemplate string

// kind is what a value of a type looks like in a document.
type kind int

const (
	text        kind = iota
	boolean          // true or false
	int32Kind        // a whole number of 32 bits
	int64Kind        // a whole number of 64 bits
	quantity         // an amount such as 100m, as a string or a number
	intOrString      // a port or a percentage
	unset            // a time, or who manages what: the API server's business
	structure        // a mapping with known keys
	dictionary       // a mapping with any keys
	list
)

// typ is a type of k8s.io/api.
type typ struct {
	kind   kind
	elem   *typ              // of a list or a dictionary
	fields map[string]*field // of a structure
	keys   []string          // of fields, in the order of declaration
}

// field is a field of a structure.
type field struct {
	*typ
	merged bool   // a list that is merged, not replaced
	key    string // the field that tells the elements of a merged list apart; empty for lists of strings
}

var basic = [...]string{
	text: "string", boolean: "bool", int32Kind: "int32", int64Kind: "int64", quantity: "quantity",
	intOrString: "intOrString", unset: "unset",
}

// schema returns the type of a PodTemplateSpec. It is read at the first use: most plugins have no overlay.
var schema = sync.OnceValue(func() *typ { return readTypes(podTemplate)["PodTemplateSpec"] })

// readTypes reads the paragraphs of a schema.
func readTypes(schema string) map[string]*typ {
	types := make(map[string]*typ, 200)
	for k, name := range basic {
		types[name] = &typ{kind: kind(k)}
	}
	for paragraph := range strings.SplitSeq(schema, "\n\n") {
		name, lines, _ := strings.Cut(paragraph, "\n")
		t := named(types, name)
		t.kind, t.fields = structure, map[string]*field{}
		for line := range strings.Lines(lines) {
			words := strings.Fields(line)
			f := &field{typ: named(types, words[1])}
			if len(words) > 2 {
				f.merged = true
				f.key = strings.TrimPrefix(strings.TrimPrefix(words[2], "merge"), "=")
			}
			t.fields[words[0]] = f
			t.keys = append(t.keys, words[0])
		}
	}
	return types
}

func named(types map[string]*typ, name string) *typ {
	if t, ok := types[name]; ok {
		return t
	}
	t := &typ{}
	types[name] = t
	if elem, ok := strings.CutPrefix(name, "[]"); ok {
		t.kind, t.elem = list, named(types, elem)
	} else if elem, ok := strings.CutPrefix(name, "map[string]"); ok {
		t.kind, t.elem = dictionary, named(types, elem)
	}
	return t
}
