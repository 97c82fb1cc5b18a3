package krm

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// allResults returns the results of the input, followed by the reported ones that are not among them. added reports
// whether there are any of these.
func (l *ResourceList) allResults() (all []*yaml.Node, added bool, err error) {
	if all, err = l.earlierResults(); err != nil {
		return nil, false, err
	}
	known := make(map[string]bool, len(all))
	for _, one := range all {
		text, err := yamlprint.AppendTreeJSON(nil, one)
		if err != nil {
			return nil, false, err
		}
		known[string(text)] = true
	}
	ours, err := l.Results().tree()
	if err != nil {
		return nil, false, err
	}
	for _, one := range ours.Content {
		text, err := yamlprint.AppendTreeJSON(nil, one)
		if err != nil {
			return nil, false, err
		}
		if !known[string(text)] {
			all, added = append(all, one), true
		}
	}
	return all, added, nil
}

// earlierResults returns the results of the input.
func (l *ResourceList) earlierResults() ([]*yaml.Node, error) {
	root := l.root
	if l.layout != nil {
		field := l.layout.Field("results")
		if field == nil {
			return nil, nil
		}
		var err error
		if root, err = parseOne(l.src[field.Start:field.End]); err != nil {
			return nil, fmt.Errorf("results: %w", err)
		}
	}
	results := Value(root, "results")
	if results == nil || results.Kind != yaml.SequenceNode {
		return nil, nil
	}
	expanded, err := expand(results)
	if err != nil {
		return nil, err
	}
	return expanded.Content, nil
}

// resultsField prints results as the field of a block-style list, or nothing without results.
func resultsField(all []*yaml.Node) ([]byte, error) {
	if len(all) == 0 {
		return nil, nil
	}
	out := bytes.NewBufferString("results:\n")
	for _, node := range all {
		text, err := encode(node)
		if err != nil {
			return nil, err
		}
		out.Write(appendElement(nil, text, 0, "\n"))
	}
	return out.Bytes(), nil
}
