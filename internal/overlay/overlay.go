// Package overlay reads a plugin's podTemplateOverlay: YAML of a partial pod template that is the basis of each step's
// Pod. It is read as strictly as the API server would read it, everything that does not fit is told at once with its
// line, and what a step needs is merged onto it the way `kubectl patch --type=strategic` does.
package overlay

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/manifest"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Overlay is a pod template to build on.
type Overlay struct {
	// Template is the overlay as a tree: nulls left out, aliases filled in, amounts as strings.
	Template manifest.Map

	lines map[krm.Path]int
}

// Parse reads an overlay. It returns what could be read, and everything that is wrong, in the order of the text. An
// empty text is an empty overlay. What a plugin's runner says is not known here: see Conflicts.
func Parse(text string) (*Overlay, []strictyaml.Problem) {
	o := &Overlay{lines: map[krm.Path]int{}}
	root, problem := parse(text)
	if problem != nil {
		return o, []strictyaml.Problem{*problem}
	}
	if root == nil {
		return o, nil
	}
	r := reader{lines: o.lines}
	tree, _ := r.value(root, "", schema(), 0)
	o.Template, _ = tree.(manifest.Map)
	if r.stopped {
		o.Template = nil
		return o, r.problems
	}
	return o, inOrder(append(r.problems, o.constraints()...))
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
		return nil, &strictyaml.Problem{Severity: krm.Error, Line: second.Line, Message: "must be one document: remove what follows `---`"}
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
