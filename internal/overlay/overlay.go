// Package overlay reads a plugin's podTemplateOverlay: YAML of a partial pod template that is the base of each step's
// Pod. Parse reads it as strictly as the API server would, against the types of k8s.io/api, and reports all problems at
// once, with their lines. CheckDeploymentPatch does the same for a strategic merge patch of a Deployment.
package overlay

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// Overlay is a pod template to build on. Its contents must not be changed.
type Overlay struct {
	// Template is the decoded overlay.
	Template corev1.PodTemplateSpec
	// Canonical is the overlay as canonical JSON: without nulls, with aliases expanded, and with quantities as strings.
	// The generations of steps are hashes of it, so it must never change. It is {} if the overlay has a type error.
	Canonical []byte

	root *yaml.Node // the overlay with its aliases expanded, nil if it is empty
}

// Parse reads an overlay. It returns the decoded part, and all problems, in the order of the text. An empty text is an
// empty overlay. The plugin's runner is not known here: see Conflicts.
func Parse(text string) (*Overlay, []strictyaml.Problem) {
	o := &Overlay{Canonical: []byte("{}")}
	root, problem := parse(text)
	if problem != nil {
		return o, []strictyaml.Problem{*problem}
	}
	root, problems := strictyaml.IntoObject(root, "", &o.Template)
	if o.root = root; root == nil || root.ShortTag() == "!!null" {
		return o, nil
	}
	if len(problems) == 0 {
		asJSON, err := yamlprint.AppendTreeJSON(nil, root)
		if err != nil {
			panic("overlay: " + err.Error()) // every value has been read as one of its type
		}
		o.Canonical = yamlprint.AppendJSON(nil, json.RawMessage(asJSON))
	}
	return o, inOrder(append(problems, o.constraints()...))
}

// parse reads the only document of a text. A problem of a text of one line is about the whole text.
func parse(text string) (*yaml.Node, *strictyaml.Problem) {
	root, problem := strictyaml.Parse([]byte(text))
	if problem != nil && !strings.Contains(text, "\n") {
		problem.Line = 0
	}
	return root, problem
}

// inOrder sorts the problems by their position in the text.
func inOrder(problems []strictyaml.Problem) []strictyaml.Problem {
	slices.SortStableFunc(problems, func(a, b strictyaml.Problem) int { return cmp.Compare(a.Line, b.Line) })
	return problems
}
