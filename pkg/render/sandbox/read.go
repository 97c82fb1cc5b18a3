package sandbox

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/tree"
)

// Labels reads a mapping of strings, such as `metadata.labels`; nil where there is none.
func ReadLabels(node *yaml.Node) map[string]string {
	if !tree.IsMap(node) || len(node.Content) == 0 {
		return nil
	}
	labels := make(map[string]string, len(node.Content)/2)
	for i := 0; i+1 < len(node.Content); i += 2 {
		labels[node.Content[i].Value] = node.Content[i+1].Value
	}
	return labels
}

// ReadMap reads the selector of a Service or a ReplicationController: labels that must be there. It is false where there is
// none, which selects nothing.
func ReadSelectorMap(node *yaml.Node) (Selector, bool) {
	if !tree.IsMap(node) || len(node.Content) == 0 {
		return nil, false
	}
	return equalities(node), true
}

// Read reads a LabelSelector: matchLabels and matchExpressions. It is false where there is none, or one that the API server
// refuses; an empty one takes every Pod.
func ReadSelector(node *yaml.Node) (Selector, bool) {
	if !tree.IsMap(node) {
		return nil, false
	}
	s := equalities(tree.Get(node, "matchLabels"))
	for _, expression := range tree.List(node, "matchExpressions") {
		r := Requirement{Key: tree.String(expression, "key"), Operator: Operator(tree.String(expression, "operator"))}
		for _, value := range tree.List(expression, "values") {
			r.Values = append(r.Values, value.Value)
		}
		if !r.valid() {
			return nil, false
		}
		s = append(s, r)
	}
	return s, true
}

func (r Requirement) valid() bool {
	switch r.Operator {
	case In, NotIn:
		return r.Key != "" && len(r.Values) > 0
	case Exists, DoesNotExist:
		return r.Key != "" && len(r.Values) == 0
	}
	return false
}

func equalities(node *yaml.Node) (s Selector) {
	if !tree.IsMap(node) {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		s = append(s, Requirement{Key: node.Content[i].Value, Operator: In, Values: []string{node.Content[i+1].Value}})
	}
	return s
}
