package overlay

import (
	"reflect"

	"go.yaml.in/yaml/v3"
	appsv1 "k8s.io/api/apps/v1"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// CheckDeploymentPatch reads a strategic merge patch of a Deployment and returns everything that does not fit, in the
// order of the text: fields that a Deployment does not have, values of another type, elements without their merge key.
// Directives such as `$patch` and nulls, which remove a field, are what such a patch is made of. A text that is not one
// YAML document is one problem; an empty one has none.
func CheckDeploymentPatch(text string) []strictyaml.Problem {
	root, problem := parse(text)
	if problem != nil {
		return []strictyaml.Problem{*problem}
	}
	if root == nil {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		message := "must be a mapping, such as {spec: …}, not " + describe(root)
		return []strictyaml.Problem{{Severity: krm.Error, Line: root.Line, Message: message}}
	}
	r := reader{lines: map[krm.Path]int{}, patch: true}
	r.value(root, "", typeOf(reflect.TypeFor[appsv1.Deployment]()), 0)
	return inOrder(r.problems)
}
