// Package resourcelist reads the output of a KRM function. Read returns a List, whose nodes keep comments and the text of
// numbers.
package resourcelist

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// probeAnnotation identifies an item of the suite whose type has no room for a field "probe".
const probeAnnotation = "conformance.example.com/probe"

// List is a document that a function printed.
type List struct {
	Root    *yaml.Node
	Items   []*yaml.Node
	Results []*yaml.Node
}

// Read reads one YAML document.
func Read(text []byte) (*List, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("stdout is empty")
	case err != nil:
		return nil, fmt.Errorf("stdout is not YAML: %w", err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, fmt.Errorf("stdout has text after the first document: %w", err)
		}
		return nil, errors.New("stdout has more than one document")
	}
	list := &List{Root: document.Content[0]}
	if list.Root.Kind != yaml.MappingNode {
		return nil, errors.New("stdout is not a YAML mapping")
	}
	list.Items, list.Results = elements(Get(list.Root, "items")), elements(Get(list.Root, "results"))
	return list, nil
}

// Probe returns the item of the suite with a name, or nil.
func (l *List) Probe(name string) *yaml.Node {
	for _, item := range l.Items {
		if ProbeOf(item) == name {
			return item
		}
	}
	return nil
}

// ProbeOf returns the name that the suite gave to an item, or "".
func ProbeOf(item *yaml.Node) string {
	for _, path := range [][]string{{"spec", "probe"}, {"data", "probe"}, {"metadata", "annotations", probeAnnotation}} {
		if node := Get(item, path...); node != nil {
			return node.Value
		}
	}
	return ""
}

// Get returns the value at a path, or nil.
func Get(node *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		node = value(resolve(node), key)
	}
	return resolve(node)
}

func value(mapping *yaml.Node, key string) *yaml.Node {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if resolve(mapping.Content[i]).Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

func elements(list *yaml.Node) []*yaml.Node {
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil
	}
	return list.Content
}

func resolve(node *yaml.Node) *yaml.Node {
	for node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}
