package cli

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// VariableValue is the value of a variable, and where it is from.
type VariableValue struct{ Text, Source string }

// Texts returns the values without their sources.
func Texts(values map[string]VariableValue) map[string]string {
	all := make(map[string]string, len(values))
	for name, value := range values {
		all[name] = value.Text
	}
	return all
}

// Variables returns the values of template variables: those of the project file, then of files that each are a mapping of
// strings, then of flags. Of several values for a variable the last one counts.
func (p *Project) Variables(files []string, flags map[string]string) (map[string]VariableValue, error) {
	values := map[string]VariableValue{}
	if p != nil {
		addValues(values, p.File, p.root, "values", p.Values)
	}
	for _, file := range files {
		var more map[string]string
		root, err := decodeFile(file, &more)
		if err == nil {
			err = checkNames(file, root, "", more)
		}
		if err != nil {
			return nil, err
		}
		addValues(values, file, root, "", more)
	}
	for name, text := range flags {
		values[name] = VariableValue{Text: text, Source: "--set"}
	}
	return values, nil
}

// addValues adds the values of a mapping at a path of a file.
func addValues(values map[string]VariableValue, file string, root *yaml.Node, path krm.Path, more map[string]string) {
	for name, text := range more {
		values[name] = VariableValue{Text: text, Source: placeOf(file, root, path.Key(name))}
	}
}

// decodeFile reads a file into a value, and returns its root. The error has everything that does not fit.
func decodeFile(file string, into any) (*yaml.Node, error) {
	text, err := load.ReadFile(file)
	if err != nil {
		return nil, err
	}
	root, problem := strictyaml.Parse(text)
	if problem != nil {
		return nil, fmt.Errorf("%s:%d: %s", file, problem.Line, problem.Message)
	}
	var errs []error
	for _, problem := range strictyaml.Into(root, "", into) {
		problem.Line = 0
		errs = append(errs, fmt.Errorf("%s: %s", placeOf(file, root, problem.Path), problem))
	}
	return root, errors.Join(errs...)
}
