package krm

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// confirms tells whether text holds the items as they are meant to be.
func (l *ResourceList) confirms(text []byte) bool {
	root, err := parseOne(text)
	if err != nil {
		return false
	}
	items := Value(root, "items")
	if items == nil || len(items.Content) != len(l.items) {
		return items != nil && len(items.Content)+len(l.items) == 0
	}
	left := mostNodes + len(text)
	for n, item := range l.items {
		want := item.Node()
		if len(item.changes()) > 0 {
			if want, err = item.editedTree(); err != nil {
				return false
			}
		}
		if !sameWithin(items.Content[n], want, &left) {
			return false
		}
	}
	return true
}

// changed tells whether a list that is known as a tree is to be written differently.
func (l *ResourceList) changed(p plan) bool {
	if len(p.added) > 0 || len(l.results) > 0 {
		return true
	}
	for n, item := range p.kept {
		if item != l.read[n] || len(item.changes()) > 0 {
			return true
		}
	}
	old := Value(l.root, "results")
	return old != nil && old.Tag != "!!null" && len(old.Content) > 0
}

// mostPrinted is how many bytes a list may have that is printed anew, its aliases replaced by what they stand for.
const mostPrinted = 8 * FallbackLimit

// writeTree prints the list anew.
func (l *ResourceList) writeTree() ([]byte, error) {
	var out bytes.Buffer
	if err := l.writeHead(&out); err != nil {
		return nil, err
	}
	if len(l.items) == 0 {
		out.WriteString("items: []\n")
	} else {
		out.WriteString("items:\n")
	}
	for _, item := range l.items {
		object, err := item.Bytes()
		if err != nil {
			return nil, err
		}
		out.Write(indentItem(nil, object, 0, "\n"))
		if out.Len() > mostPrinted {
			return nil, errBomb
		}
	}
	if results := l.Results(); len(results) > 0 {
		out.WriteString(results.yaml())
	}
	return withLineEnds(out.Bytes(), l.eol()), nil
}

// writeHead prints the fields that are neither items nor results.
func (l *ResourceList) writeHead(out *bytes.Buffer) error {
	root := l.root
	if root == nil && l.layout != nil {
		var err error
		if root, err = parseOne(l.src); err != nil {
			return err
		}
	}
	if root == nil {
		out.WriteString("apiVersion: " + listGroup + "v1\nkind: " + listKind + "\n")
		return nil
	}
	for n := 0; n+1 < len(root.Content); n += 2 {
		key := root.Content[n]
		if key.Value == "items" || key.Value == "results" {
			continue
		}
		field, err := expand(&yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: root.Content[n : n+2]})
		if err != nil {
			return err
		}
		text, err := encode(field)
		if err != nil {
			return err
		}
		out.Write(text)
	}
	return nil
}
