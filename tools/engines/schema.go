package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/module"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"sigs.k8s.io/yaml"
)

// schema is the schema of one version of a CustomResourceDefinition.
type schema struct {
	structural *structural.Structural
	validator  validation.SchemaValidator
}

// readSchema reads the schema of a version from a file of a module that this program is built with.
func readSchema(of, file, version string) (*schema, error) {
	folder, err := moduleFolder(of)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(folder, file))
	if err != nil {
		return nil, err
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return nil, err
	}
	for i := range crd.Spec.Versions {
		if v := &crd.Spec.Versions[i]; v.Name == version {
			return newSchema(v.Schema)
		}
	}
	return nil, fmt.Errorf("%s has no version %s", file, version)
}

func newSchema(of *apiextensionsv1.CustomResourceValidation) (*schema, error) {
	var internal apiextensions.CustomResourceValidation
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(
		of, &internal, nil); err != nil {
		return nil, err
	}
	s := &schema{}
	var err error
	if s.structural, err = structural.NewStructural(internal.OpenAPIV3Schema); err != nil {
		return nil, err
	}
	s.validator, _, err = validation.NewSchemaValidator(internal.OpenAPIV3Schema)
	return s, err
}

// check returns unknown fields and violations of the schema.
func (s *schema) check(text []byte) (found []error) {
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		return []error{err}
	}
	for _, err := range validation.ValidateCustomResource(nil, object, s.validator) {
		found = append(found, fmt.Errorf("schema: %w", err))
	}
	options := structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	for _, path := range pruning.PruneWithOptions(object, s.structural, true, options) {
		found = append(found, fmt.Errorf("schema: unknown field %s", path))
	}
	return found
}

// moduleFolder returns the folder in the module cache of a module that this program is built with.
func moduleFolder(path string) (string, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", errors.New("built without modules")
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMODCACHE: %w", err)
	}
	for _, dependency := range info.Deps {
		if dependency.Path == path {
			escaped, err := module.EscapePath(path)
			return filepath.Join(strings.TrimSpace(string(cache)), escaped+"@"+dependency.Version), err
		}
	}
	return "", fmt.Errorf("not built of module %s", path)
}
