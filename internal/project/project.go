// Package project reads the project file rplug.yaml, which holds what would otherwise be repeated as flags, and files with
// the values of template variables.
//
//	p, err := project.Find(".") // nil without a project file
package project

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/template"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// FileName is the name of the project file.
const FileName = "rplug.yaml"

// maxFile is the largest file that is read, in bytes.
const maxFile = 1 << 20

// Project is a project file.
type Project struct {
	v1alpha1.Project
	// File is its path.
	File string
}

// document is a project file as it is written.
type document struct {
	APIVersion string `json:"apiVersion" required:"true"`
	Kind       string `json:"kind" required:"true"`
	v1alpha1.Project
}

// Find reads the project file of a folder: the one in it, or the next one above it up to the top of its git repository. It
// returns nil if there is none. Outside of a repository the folders above may be other people's, so they are not searched.
func Find(folder string) (*Project, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	top := load.TopLevel(folder)
	for at := folder; ; at = filepath.Dir(at) {
		file := filepath.Join(at, FileName)
		if _, err := os.Lstat(file); err == nil {
			return read(file)
		}
		if at == top || top == "" {
			return nil, nil
		}
	}
}

func read(file string) (*Project, error) {
	var d document
	if err := decode(file, &d); err != nil {
		return nil, err
	}
	if d.APIVersion != contract.APIVersion || d.Kind != contract.Project {
		return nil, fmt.Errorf("%s: must be a %s of %s, not %q of %q",
			file, contract.Project, contract.APIVersion, d.Kind, d.APIVersion)
	}
	if err := errors.Join(checkRules(file, d.Rules), checkNames(file, d.Values)); err != nil {
		return nil, err
	}
	return &Project{Project: d.Project, File: file}, nil
}

// ReadValues reads files with the values of variables, each a mapping of strings. Of a variable in several files the last
// value counts.
func ReadValues(files []string) (map[string]string, error) {
	values := map[string]string{}
	for _, file := range files {
		var more map[string]string
		if err := decode(file, &more); err != nil {
			return nil, err
		}
		if err := checkNames(file, more); err != nil {
			return nil, err
		}
		maps.Copy(values, more)
	}
	return values, nil
}

// decode reads a file into a value. The error has everything that does not fit.
func decode(file string, into any) error {
	text, err := readFile(file)
	if err != nil {
		return err
	}
	root, problem := strictyaml.Parse(text)
	if problem != nil {
		return fmt.Errorf("%s:%d: %s", file, problem.Line, problem.Message)
	}
	var errs []error
	for _, problem := range strictyaml.Into(root, "", into) {
		line := 1
		if node, found := problem.Path.Find(root); found {
			line = node.Line
		}
		problem.Line = 0
		errs = append(errs, fmt.Errorf("%s:%d: %s", file, line, problem))
	}
	return errors.Join(errs...)
}

// readFile reads a regular file: a pipe might never end.
func readFile(file string) ([]byte, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, unwrapped(file, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%q must be a regular file", file)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%q must not be larger than %d bytes", file, maxFile)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, unwrapped(file, err)
	}
	return text, nil
}

// unwrapped describes an error of the file system.
func unwrapped(file string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%q must be a file that can be read: %w", file, err)
}

// checkRules refuses levels that no rule has.
func checkRules(file string, rules map[string]string) error {
	wrong := validate.Options{Rules: rules}.Validate()
	errs := make([]error, len(wrong))
	for i, one := range wrong {
		errs[i] = fmt.Errorf("%s: %s: %s", file, one.Option, one.Message)
	}
	return errors.Join(errs...)
}

// checkNames refuses values that no directive can name.
func checkNames(file string, values map[string]string) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !template.IsVariable(name) {
			errs = append(errs, fmt.Errorf("%s: %w", file, template.VariableError(name)))
		}
	}
	return errors.Join(errs...)
}
