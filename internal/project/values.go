package project

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Value is the value of a variable, and where it is from.
type Value struct{ Text, Source string }

// Texts returns the values alone.
func Texts(values map[string]Value) map[string]string {
	texts := make(map[string]string, len(values))
	for name, value := range values {
		texts[name] = value.Text
	}
	return texts
}

// Variables returns the values of template variables: those of the project file, then of files that each are a mapping of
// strings, then of flags. Of several values for a variable the last one counts.
func (p *Project) Variables(files []string, flags map[string]string) (map[string]Value, error) {
	values := map[string]Value{}
	if p != nil {
		add(values, p.File, p.root, "values", p.Values)
	}
	for _, file := range files {
		var more map[string]string
		root, err := decode(file, &more)
		if err == nil {
			err = checkNames(file, root, "", more)
		}
		if err != nil {
			return nil, err
		}
		add(values, file, root, "", more)
	}
	for name, text := range flags {
		values[name] = Value{Text: text, Source: "--set"}
	}
	return values, nil
}

// add adds the values of a mapping at a path of a file.
func add(values map[string]Value, file string, root *yaml.Node, path krm.Path, more map[string]string) {
	for name, text := range more {
		values[name] = Value{Text: text, Source: placeOf(file, root, path.Key(name))}
	}
}

// decode reads a file into a value, and returns its root. The error has everything that does not fit.
func decode(file string, into any) (*yaml.Node, error) {
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
