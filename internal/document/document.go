// Package document reads ResourcePlugin, Sandbox and RouteGroup documents, and derives properties from a single
// document: a plugin's own name, a sandbox's id and state, and the graph of a plugin's steps.
//
// ReadPlugin, ReadSandbox and ReadRouteGroup decode an item into its type of api/v1alpha1. They return the decoded
// document, and a problem for everything that could not be decoded. Whether a decoded document follows its
// specification is checked by pkg/validate.
//
// ParsePluginName and ParsePluginReference parse the names of plugins, `bareName[@version]`, in documents and in references
// of sandboxes. Versions are semver; loose spellings (`v1.0.0`, `1.0`, `1`) are converted to the canonical form.
//
// NewGraph builds the graph of a plugin's steps: the order in which they run, the steps that each one waits for, dangling
// references, and cycles. Digest identifies the content of a plugin document. CheckImage and its like check and compare
// references of container images.
package document

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// ReadSpec decodes a document's spec into target, a pointer to a struct. A null spec is missing.
func ReadSpec(item *krm.Item, target any) []strictyaml.Problem {
	spec := krm.Value(item.YNode(), "spec")
	if spec != nil && spec.ShortTag() == "!!null" {
		spec = nil
	}
	return readSpec(item, spec, target)
}

// ReadNullableSpec is ReadSpec for documents in which a null spec is an empty one.
func ReadNullableSpec(item *krm.Item, target any) []strictyaml.Problem {
	return readSpec(item, krm.Value(item.YNode(), "spec"), target)
}

func readSpec(item *krm.Item, spec *yaml.Node, target any) []strictyaml.Problem {
	problems := RepeatedKeys(item)
	if spec == nil {
		return append(problems,
			strictyaml.Problem{
				Rule: strictyaml.RuleRequired, Severity: strictyaml.SeverityError, Path: "spec", Message: "must be set",
			})
	}
	return append(problems, strictyaml.Into(spec, "spec", target)...)
}

// RepeatedKeys returns a problem for each duplicate key of an object, outside of spec and in metadata.
func RepeatedKeys(item *krm.Item) []strictyaml.Problem {
	root := item.YNode()
	problems := repeatedKeys(nil, "", root)
	metadata := krm.Value(root, "metadata")
	problems = repeatedKeys(problems, "metadata", metadata)
	for _, key := range []string{"labels", "annotations"} {
		problems = repeatedKeys(problems, krm.Path("metadata").Key(key), krm.Value(metadata, key))
	}
	return problems
}

func repeatedKeys(problems []strictyaml.Problem, at krm.Path, mapping *yaml.Node) []strictyaml.Problem {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return problems
	}
	seen := make(map[string]bool, len(mapping.Content)/2)
	for i := 0; i < len(mapping.Content); i += 2 {
		key := mapping.Content[i].Value
		if seen[key] {
			problems = append(problems, strictyaml.Repeated(at.Key(key), key))
		}
		seen[key] = true
	}
	return problems
}
