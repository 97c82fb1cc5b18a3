package krm

import (
	"bytes"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// maxPrinted is the size limit of a list that is printed as a whole, with its aliases expanded, in bytes.
const maxPrinted = 8 * FallbackLimit

// writeWhole prints the whole list.
func (l *ResourceList) writeWhole(out *output, all []*yaml.Node) error {
	out.at = len(l.src)
	if l.layout != nil {
		out.lineEnd = l.layout.LineEnd
	}
	head, err := l.head()
	if err != nil {
		return err
	}
	items := "items:\n"
	if len(l.items) == 0 {
		items = "items: []\n"
	}
	out.addText(append(head, items...))
	size := 0
	for _, item := range l.items {
		object, err := item.Bytes()
		if err != nil {
			return err
		}
		if size += len(object); l.root != nil && size > maxPrinted {
			return errBomb
		}
		out.pieces = append(out.pieces, piece{text: object, element: true})
	}
	results, err := resultsField(all)
	out.addText(results)
	return err
}

// head prints the fields that are neither items nor results.
func (l *ResourceList) head() ([]byte, error) {
	if l.src == nil {
		return []byte("apiVersion: " + listGroup + "v1\nkind: " + listKind + "\n"), nil
	}
	root := l.root
	if l.layout != nil {
		var err error
		if root, err = l.parseHead(); err != nil {
			return nil, err
		}
	}
	var head bytes.Buffer
	for n := 0; n+1 < len(root.Content); n += 2 {
		switch root.Content[n].Value {
		case "items", "results":
			continue
		}
		text, err := encode(&yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: root.Content[n : n+2]})
		if err != nil {
			return nil, err
		}
		head.Write(text)
	}
	return head.Bytes(), nil
}

// parseHead parses the fields that are neither items nor results.
func (l *ResourceList) parseHead() (*yaml.Node, error) {
	var head []byte
	for _, field := range l.layout.Fields {
		if field.Name != "items" && field.Name != "results" {
			head = append(head, l.src[field.Start:field.End]...)
		}
	}
	return parseOne(head)
}

// writeJSON writes a list that was read from JSON.
func (l *ResourceList) writeJSON(out *output, results []*yaml.Node) error {
	items := &yaml.Node{Kind: yaml.SequenceNode}
	for _, item := range l.items {
		node, err := expand(item.YNode())
		if err == nil {
			err = item.err
		}
		if err != nil {
			return item.wrap(err)
		}
		items.Content = append(items.Content, node)
	}
	root := *l.root
	root.Content = nil
	for n := 0; n+1 < len(l.root.Content); n += 2 {
		if key := l.root.Content[n].Value; key != "items" && key != "results" {
			root.Content = append(root.Content, l.root.Content[n:n+2]...)
		}
	}
	root.Content = append(root.Content, newString("items"), items)
	if len(results) > 0 {
		root.Content = append(root.Content, newString("results"), &yaml.Node{Kind: yaml.SequenceNode, Content: results})
	}
	text, err := yamlprint.AppendTreeJSON(nil, &root)
	out.at = len(l.src)
	out.pieces = []piece{{text: append(text, '\n')}}
	return err
}
