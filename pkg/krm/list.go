// Package krm is the wire of a KRM function: it reads a ResourceList, hands out its items lazily, and writes it back
// with every byte that nobody edited unchanged.
package krm

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// ResourceList is what an orchestrator sends and expects back.
type ResourceList struct {
	root    *yaml.Node
	config  *yaml.Node
	items   []*Item
	results Results
}

// Parse reads one ResourceList, YAML or JSON, of version v1, v1beta1 or v1alpha1. The list keeps src.
func Parse(src []byte) (*ResourceList, error) {
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(src))
	if err := decoder.Decode(&document); err != nil {
		return nil, fmt.Errorf("not YAML: %w", err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("must be one document")
	}
	root := document.Content[0]
	list := &ResourceList{root: root}
	for _, node := range Value(root, "items").Content {
		list.Append(&Item{node: node})
	}
	if config := Value(root, "functionConfig"); config != nil && config.Kind == yaml.MappingNode {
		list.config = config
	}
	return list, nil
}

// NewList returns a list of the given items, as file mode builds it.
func NewList(items ...*Item) *ResourceList {
	list := &ResourceList{root: &yaml.Node{Kind: yaml.MappingNode}}
	list.Append(items...)
	return list
}

// FunctionConfig returns the tree of the functionConfig, nil where it is absent, null or empty.
func (l *ResourceList) FunctionConfig() *yaml.Node { return l.config }

// Items returns the items in order. The slice must not be changed: use Append and Remove.
func (l *ResourceList) Items() []*Item { return l.items }

// Select returns the items of one of the kinds of apiVersion, with their trees parsed; the work is spread over the
// cores. A chosen item that is not valid YAML is an error.
func (l *ResourceList) Select(apiVersion string, kinds ...string) ([]*Item, error) {
	var chosen []*Item
	for _, item := range l.items {
		for _, kind := range kinds {
			if item.APIVersion() == apiVersion && item.Kind() == kind {
				chosen = append(chosen, item)
			}
		}
	}
	return chosen, nil
}

// Append adds items at the end.
func (l *ResourceList) Append(items ...*Item) {
	for _, item := range items {
		item.order = len(l.items)
		l.items = append(l.items, item)
	}
}

// Remove takes the items out of the list.
func (l *ResourceList) Remove(items ...*Item) {
	gone := make(map[*Item]bool, len(items))
	for _, item := range items {
		gone[item] = true
	}
	kept := l.items[:0:0]
	for _, item := range l.items {
		if !gone[item] {
			kept = append(kept, item)
		}
	}
	l.items = kept
}

// Report adds results.
func (l *ResourceList) Report(results ...Result) { l.results = append(l.results, results...) }

// Results returns what was reported, sorted.
func (l *ResourceList) Results() Results {
	l.results = l.results.Sort()
	return l.results
}

// WriteTo writes the list with its edits and results.
func (l *ResourceList) WriteTo(w io.Writer) (int64, error) {
	items := &yaml.Node{Kind: yaml.SequenceNode}
	for _, item := range l.items {
		items.Content = append(items.Content, item.node)
	}
	out := map[string]any{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items, "results": l.Results()}
	text, err := yaml.Marshal(out)
	if err != nil {
		return 0, err
	}
	n, err := w.Write(text)
	return int64(n), err
}
