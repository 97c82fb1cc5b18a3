// Package overlay reads a plugin's podTemplateOverlay: YAML of a partial pod template that is the base of each step's Pod.
// Parse reads it as strictly as the API server would, against the types of k8s.io/api, and reports everything that does
// not fit at once, with its line. CheckDeploymentPatch does the same for a strategic merge patch of a Deployment.
package overlay

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Overlay is a pod template to build on. Its contents must not be changed.
type Overlay struct {
	// Template is what the overlay says.
	Template corev1.PodTemplateSpec
	// Canonical is the overlay as it is written, as canonical JSON: nulls left out, aliases filled in, amounts as strings. The
	// generations of steps are hashes of it, so it must never look different. It is {} if the overlay has a type error.
	Canonical []byte

	root *yaml.Node // the overlay with its aliases filled in, nil if it is empty
}

// Parse reads an overlay. It returns what could be read, and everything that is wrong, in the order of the text. An
// empty text is an empty overlay. What a plugin's runner says is not known here: see Conflicts.
func Parse(text string) (*Overlay, []strictyaml.Problem) {
	o := &Overlay{Canonical: []byte("{}")}
	root, problem := parse(text)
	if problem != nil {
		return o, []strictyaml.Problem{*problem}
	}
	root, problems := strictyaml.IntoObject(root, &o.Template)
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

// parse returns the root of the only document, nil where there is nothing.
func parse(text string) (*yaml.Node, *strictyaml.Problem) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var document, second yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, notYAML(err)
	}
	if err := decoder.Decode(&second); err == nil {
		problem := strictyaml.Error("", "must be one document: remove what follows `---`")
		problem.Line = second.Line
		return nil, &problem
	} else if !errors.Is(err, io.EOF) {
		return nil, notYAML(err)
	}
	return document.Content[0], nil
}

func notYAML(err error) *strictyaml.Problem {
	message := strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\n", " "), "yaml: ")
	line := 0
	if _, scanErr := fmt.Sscanf(message, "line %d:", &line); scanErr == nil {
		_, message, _ = strings.Cut(message, ": ")
	}
	return &strictyaml.Problem{Severity: krm.Error, Line: line, Message: "must be YAML: " + message}
}

// inOrder sorts the problems by their place in the text.
func inOrder(problems []strictyaml.Problem) []strictyaml.Problem {
	slices.SortStableFunc(problems, func(a, b strictyaml.Problem) int { return cmp.Compare(a.Line, b.Line) })
	return problems
}
