package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// projectDocument is a project file as it is written.
type projectDocument struct {
	APIVersion string `json:"apiVersion" required:"true"`
	Kind       string `json:"kind" required:"true"`
	v1alpha1.Project
}

// check returns all errors of the file, regardless of the command that reads it.
func (p *Project) check(d projectDocument, extensions []validate.Extension) error {
	if d.APIVersion != contract.APIVersion || d.Kind != contract.Project {
		return fmt.Errorf("%s: must be a %s of %s, not %q of %q",
			p.File, contract.Project, contract.APIVersion, d.Kind, d.APIVersion)
	}
	var errs []error
	for _, one := range (validate.Options{Rules: d.Rules, Extensions: extensions}).Validate() {
		errs = append(errs, p.wrong(one.Option, one.Message))
	}
	if problem := document.CheckImage(d.HelperImage); problem != "" {
		errs = append(errs, p.wrong("helperImage", problem))
	}
	if _, problem := overlay.ParseDefaults(d.PodTemplateDefaults); problem != "" {
		errs = append(errs, p.wrong("podTemplateDefaults", problem))
	}
	for i, path := range d.Catalogs {
		if problem := checkCatalog(path); problem != "" {
			errs = append(errs, p.wrong(krm.Path("catalogs").Index(i), problem))
		}
	}
	errs = append(errs, p.checkSections()...)
	return errors.Join(append(errs, checkNames(p.File, p.root, "values", d.Values))...)
}

func (p *Project) wrong(path krm.Path, message string) error {
	return fmt.Errorf("%s: %s: %s", p.Place(path), path, message)
}

// checkCatalog returns why a path of catalogs is invalid; empty if it is valid. It reads no files.
func checkCatalog(path string) string {
	switch {
	case path == "" || path == load.Stdin:
		return fmt.Sprintf("must be a file or a folder, not %q", path)
	case filepath.IsAbs(path) || strings.HasPrefix(path, "/"):
		return fmt.Sprintf("must be relative to the project file, not %q", path)
	}
	return ""
}

// checkNames refuses values of a mapping at a path of a file that no directive can name.
func checkNames(file string, root *yaml.Node, path krm.Path, values map[string]string) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !load.IsVariable(name) {
			errs = append(errs, fmt.Errorf("%s: %w", placeOf(file, root, path.Key(name)), load.VariableError(name)))
		}
	}
	return errors.Join(errs...)
}

// CatalogPaths returns the paths of the catalogs, from where the path of the file begins. Each must exist in the git
// repository of the file, outside of a repository in its folder: a link must not lead out of it.
func (p *Project) CatalogPaths() ([]string, error) {
	if p == nil {
		return nil, nil
	}
	var paths []string
	var errs []error
	for i, catalog := range p.Catalogs {
		path := filepath.Join(filepath.Dir(p.File), filepath.FromSlash(catalog))
		if err := p.within(path); err != nil {
			errs = append(errs, p.wrong(krm.Path("catalogs").Index(i), fmt.Sprintf("%q %v", catalog, err)))
		}
		paths = append(paths, filepath.ToSlash(path))
	}
	return paths, errors.Join(errs...)
}

// within refuses a path that does not exist, or is outside of the folder that paths must not leave.
func (p *Project) within(path string) error {
	target, err := filepath.EvalSymlinks(path)
	if err == nil {
		target, err = filepath.Abs(target)
	}
	var unread *fs.PathError
	switch {
	case errors.Is(err, os.ErrNotExist):
		return errors.New("must exist")
	case errors.As(err, &unread):
		return fmt.Errorf("must be a file or a folder that can be read: %w", unread.Err)
	case err != nil:
		return err
	}
	top, err := filepath.EvalSymlinks(p.top)
	if err != nil {
		return err
	}
	below, err := filepath.Rel(top, target)
	if err != nil || !filepath.IsLocal(below) {
		return errors.New("must be in the git repository of the project file, or without one in its folder")
	}
	return nil
}
