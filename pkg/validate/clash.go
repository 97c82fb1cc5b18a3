package validate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/form"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// inputClash: issue of the rules, Depth: no clash between inputs.
var inputClash = Rule{
	ID: "input-clash", Severity: krm.Error,
	Demand:  "Two inputs of a step have different variables and different files, and no file is a folder of another.",
	Why:     "One of the values would be lost.",
	Example: "spec.create[0].inputs[1].as.env: DBNAME",
	plugin: func(c *pluginCheck) {
		for at, step := range document.Steps(&c.Spec) {
			c.variableClash(at, step)
			c.fileClash(at, step)
		}
	},
}

func (c *pluginCheck) variableClash(at document.StepRef, step *v1alpha1.Step) {
	taken := make(map[string]*v1alpha1.Input, len(step.Inputs))
	for i := range step.Inputs {
		input := &step.Inputs[i]
		name := input.Env()
		other := taken[name]
		switch {
		case name == "":
		case other == nil:
			taken[name] = input
		case other.Name != input.Name: // a repeated name is for another rule
			c.report(at.Input(i), "inputs %q and %q must not share the variable %q: give one of them another as.env",
				other.Name, input.Name, name)
		}
	}
}

// fileClash sorts the files, so that a file stands right before those that would be in it if it were a folder.
func (c *pluginCheck) fileClash(at document.StepRef, step *v1alpha1.Step) {
	type file struct {
		path  string // clean, ending in a slash
		input int
	}
	var files []file
	for i := range step.Inputs {
		if name := step.Inputs[i].Path(); name != "" && form.File(name) == "" {
			files = append(files, file{path: path.Clean(name) + "/", input: i})
		}
	}
	slices.SortStableFunc(files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	for i, root := 1, 0; i < len(files); i++ {
		if !strings.HasPrefix(files[i].path, files[root].path) {
			root = i
			continue
		}
		later, earlier := max(files[i].input, files[root].input), min(files[i].input, files[root].input)
		c.report(at.Input(later).Key("as").Key("path"), "inputs %q and %q must not share %s",
			step.Inputs[earlier].Name, step.Inputs[later].Name, shared(files[i].path, files[root].path))
	}
}

func shared(path, root string) string {
	file := fmt.Sprintf("the file %q", strings.TrimSuffix(root, "/"))
	if path == root {
		return file
	}
	return file + ", which would have to be a folder too"
}
