package validate

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// patched returns the patch of a fork, or nil, and the path of the patch.
func (f customizedFork) patched() (*v1alpha1.WorkloadPatch, krm.Path) {
	return f.Customizations.Patch, f.path.Key("patch")
}

var patchType = Rule{
	ID: "patch-type", Severity: krm.Error,
	Summary: "A patch's type is json, merge or strategic, or one of the newer signadot/env and signadot/image.",
	Why:     "Signadot knows no other.",
	Sources: []string{sandboxSpec, clientModels},
	Example: "spec.forks[0].customizations.patch.type: jsonpatch",
	checks: eachFork(func(r *Rule, s *sandbox, fork customizedFork) {
		if patch, path := fork.patched(); patch != nil {
			s.OneOf(r, path.Key("type"), patch.Type, "strategic", "merge", "json", "signadot/env", "signadot/image")
		}
	}),
}

var patchValue = Rule{
	ID: "patch-value", Severity: krm.Error,
	Summary: "A patch's value is JSON or YAML: a list of operations for json, a mapping for merge and strategic.",
	Why:     "It could not be applied.",
	Sources: []string{sandboxSpec, "https://www.rfc-editor.org/rfc/rfc6902#section-4"},
	Example: `spec.forks[0].customizations.patch.value: "{spec:"`,
	checks: eachFork(func(r *Rule, s *sandbox, fork customizedFork) {
		if patch, path := fork.patched(); patch != nil {
			s.Must(r, path.Key("value"), "", checkPatch(patch.Type, patch.Value))
		}
	}),
}

// patchField is about the only kind with known fields: other kinds have definitions elsewhere.
var patchField = Rule{
	ID: "patch-field", Severity: krm.Error,
	Summary: "A strategic patch of a Deployment names fields that a Deployment has, with values of their types.",
	Why:     "An unknown field is dropped silently, and a value of another type makes the patch fail.",
	Sources: []string{sandboxSpec, "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/deployment-v1/"},
	Example: `spec.forks[0].customizations.patch.value: "spec: {replica: 1}"`,
	checks: eachFork(func(r *Rule, s *sandbox, fork customizedFork) {
		patch, path := fork.patched()
		if fork.ForkOf.Kind != "Deployment" || patch == nil || patch.Type != "strategic" ||
			checkPatch(patch.Type, patch.Value) != "" {
			return
		}
		for _, problem := range overlay.CheckDeploymentPatch(patch.Value) {
			s.reportPart(r, path.Key("value"), problem)
		}
	}),
}

func checkPatch(kind, value string) string {
	if kind != "json" && kind != "merge" && kind != "strategic" {
		return ""
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(value), &document); err != nil {
		return "patch must be JSON or YAML: " + strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " ")
	}
	if len(document.Content) == 0 {
		return "" // reported by the rule "required", or only comments
	}
	root := document.Content[0]
	switch wrong := checkKeys(root); {
	case wrong != "":
		return wrong
	case kind == "json":
		return checkOperations(root)
	case root.Kind != yaml.MappingNode:
		return fmt.Sprintf("a patch of type %q must be a mapping, such as {spec: …}", kind)
	}
	return ""
}

// checkKeys checks that the keys of a patch's mappings are valid in JSON.
func checkKeys(node *yaml.Node) string {
	for i, child := range node.Content {
		key := child
		if child.Kind == yaml.AliasNode {
			key = child.Alias
		}
		if node.Kind == yaml.MappingNode && i%2 == 0 && key.Kind != yaml.ScalarNode {
			return fmt.Sprintf("line %d of the patch must not have a list or a mapping as a key", child.Line)
		}
		if wrong := checkKeys(child); wrong != "" {
			return wrong
		}
	}
	return ""
}

// checkOperations checks the operations of a JSON patch (https://www.rfc-editor.org/rfc/rfc6902#section-4).
func checkOperations(root *yaml.Node) string {
	if root.Kind != yaml.SequenceNode {
		return `a patch of type "json" must be a list of operations, such as [{op: replace, path: /spec/replicas, value: 1}]`
	}
	known := []string{"add", "remove", "replace", "move", "copy", "test"}
	for i, operation := range root.Content {
		op, path := scalar(operation, "op"), scalar(operation, "path")
		switch {
		case !slices.Contains(known, op):
			return fmt.Sprintf("operation %d of the patch must have an op of %s, not %q", i+1, strictyaml.Listed(known), op)
		case path != "" && path[0] != '/' || krm.Value(operation, "path") == nil:
			return fmt.Sprintf("operation %d of the patch must have a path that begins with a slash, not %q", i+1, path)
		case (op == "add" || op == "replace" || op == "test") && krm.Value(operation, "value") == nil:
			return fmt.Sprintf("operation %d of the patch must have a value to %s", i+1, op)
		case (op == "move" || op == "copy") && scalar(operation, "from") == "":
			return fmt.Sprintf("operation %d of the patch must say from where to %s", i+1, op)
		}
	}
	return ""
}

func scalar(mapping *yaml.Node, key string) string {
	if node := krm.Value(mapping, key); node != nil && node.Kind == yaml.ScalarNode {
		return node.Value
	}
	return ""
}
