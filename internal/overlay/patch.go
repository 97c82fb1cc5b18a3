package overlay

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// CheckDeploymentPatch reads a strategic merge patch of a Deployment and returns all problems, in the order of the
// text: unknown fields, values of the wrong type, elements without their merge key. Directives such as `$patch`, and
// nulls, which remove a field, are allowed. A text that is not one YAML document is one problem; an empty one has none.
func CheckDeploymentPatch(text string) []strictyaml.Problem {
	root, problem := parse(text)
	if problem != nil {
		return []strictyaml.Problem{*problem}
	}
	return inOrder(strictyaml.IntoPatch(root, new(appsv1.Deployment)))
}
