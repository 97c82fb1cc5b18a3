package htmlreport

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// of returns the hidden scalars of an object of a kind. In rendered objects, our own variables are not hidden.
func (v *values) of(kind string, root *yaml.Node, isOurs bool) (nodes []*yaml.Node) {
	ofKind := map[string]func(*yaml.Node) []*yaml.Node{}
	switch kind {
	case contract.Sandbox, contract.PluginTest:
		ofKind["params"], ofKind["patch"] = scalars, valueIn
		ofKind["files"], ofKind["args"] = valuesIn, valuesIn
	case "Secret":
		ofKind["data"], ofKind["stringData"] = scalars, scalars
	}
	ofKind[corev1.LastAppliedConfigAnnotation] = scalars
	ofKind["env"] = func(variables *yaml.Node) (all []*yaml.Node) {
		for _, variable := range variables.Content {
			if !isOurs || !isOwnVariable(variable) {
				all = append(all, valueIn(variable)...)
			}
		}
		return all
	}
	ofKind["podSpecPatch"] = func(patch *yaml.Node) []*yaml.Node { // of a Workflow
		if strings.Contains(patch.Value, `"env":`) {
			return []*yaml.Node{patch}
		}
		return nil
	}
	walk(root, func(key string, value *yaml.Node) {
		if hidden := ofKind[key]; hidden != nil {
			nodes = append(nodes, hidden(value)...)
		}
	})
	return nodes
}

// valueIn returns the scalars at the key value of a mapping.
func valueIn(mapping *yaml.Node) []*yaml.Node { return scalars(krm.Value(mapping, "value")) }

// valuesIn returns the scalars at the key value of each mapping of a list.
func valuesIn(list *yaml.Node) (all []*yaml.Node) {
	for _, entry := range list.Content {
		all = append(all, valueIn(entry)...)
	}
	return all
}

// isOwnVariable reports whether a variable of a rendered step has one of the names that inputs cannot have.
func isOwnVariable(variable *yaml.Node) bool {
	name := krm.Value(variable, "name")
	return name != nil && slices.Contains(contract.StepVariables(), name.Value)
}

// walk calls do for each key of a tree that is a scalar, with its value. Aliases are not followed: their targets are in
// the tree.
func walk(node *yaml.Node, do func(key string, value *yaml.Node)) {
	if node.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(node.Content); i += 2 {
			value := node.Content[i+1]
			if value.Kind == yaml.AliasNode {
				value = value.Alias
			}
			do(node.Content[i].Value, value)
		}
	}
	for _, child := range node.Content {
		walk(child, do)
	}
}

// scalars returns the scalar values of a node and below it, those of aliases included.
func scalars(node *yaml.Node) (all []*yaml.Node) {
	return appendScalars(nil, node, map[*yaml.Node]bool{})
}

func appendScalars(all []*yaml.Node, node *yaml.Node, seen map[*yaml.Node]bool) []*yaml.Node {
	if node == nil || seen[node] {
		return all
	}
	seen[node] = true
	if node.Kind == yaml.ScalarNode {
		return append(all, node)
	}
	if node.Kind == yaml.AliasNode {
		return appendScalars(all, node.Alias, seen)
	}
	for i, child := range node.Content {
		if node.Kind != yaml.MappingNode || i%2 == 1 {
			all = appendScalars(all, child, seen)
		}
	}
	return all
}
