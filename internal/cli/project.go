package cli

import (
	"path/filepath"
	"reflect"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// keyCatalogs is the key of the project file whose paths are input.
const keyCatalogs = "catalogs"

// fromProject are the flags of functions that read the project file.
type fromProject struct {
	NoProject   bool `json:"noProject" help:"do not read the project file rplug.yaml"`
	PrintConfig bool `json:"printConfig" help:"print the options in force and their sources, and read no document"`
}

// configureFiles completes the variables and the config with values from files: first the project file, then those of
// --values. Flags take precedence.
func (r *run) configureFiles() (err error) {
	if r.ReadsProject && !r.NoProject {
		if r.project, err = FindProject(".", extension.Rules(r.Extensions)...); err != nil {
			return err
		}
	}
	if r.project != nil {
		r.applyProject()
		if slices.Contains(r.Project, keyCatalogs) {
			if r.catalogs, err = r.project.CatalogPaths(); err != nil {
				return err
			}
		}
	}
	if r.values, err = r.project.Variables(r.Values, r.Set); err != nil {
		return err
	}
	r.Set = Texts(r.values)
	return nil
}

// applyProject sets the fields of the config that are set in the project file and not by a flag; of a map, the keys.
func (r *run) applyProject() {
	r.places = map[krm.Path]string{}
	given := r.project.given(r.Project)
	for _, f := range fieldsOf(r.config) {
		one, isGiven := given[f.Key]
		key := krm.Path(f.Key)
		switch {
		case !isGiven:
		case f.value.Kind() == reflect.Map:
			if f.value.IsNil() {
				f.value.Set(reflect.MakeMap(f.value.Type()))
			}
			for _, entry := range one.value.MapKeys() {
				if !f.value.MapIndex(entry).IsValid() {
					f.value.SetMapIndex(entry, one.value.MapIndex(entry))
					r.places[key.Key(entry.String())] = r.project.Place(one.path.Key(entry.String()))
				}
			}
		case !r.flags.Changed(f.flag):
			f.set(one.value)
			r.places[key] = r.project.Place(one.path)
		}
	}
}

// exclusions returns the patterns of the project file and of the flags. place returns the path of a folder in the files
// that are read.
func (r *run) exclusions(place func(folder string) (string, error)) ([]load.Exclusion, error) {
	all := append(r.project.Exclusions(), load.Exclusion{Patterns: r.Exclude, From: ".", Source: "--exclude"})
	for i := range all {
		var err error
		if all[i].From, err = place(all[i].From); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// isOfCatalog reports whether a result is about a document of the catalogs and not of the paths, for a function that only
// reports findings. Such a function checks only the paths: catalogs provide the documents that these refer to.
func (r *run) isOfCatalog(result krm.Result) bool {
	file, named := result.Place.File, slices.Concat(r.paths, r.Kustomize)
	return r.isLinter() && file != "" && isBelow(file, r.catalogs) && !isBelow(file, named)
}

// isBelow reports whether a file is one of the paths, or in a folder that is.
func isBelow(file string, paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		from, err := filepath.Abs(path)
		to, err2 := filepath.Abs(file)
		if err != nil || err2 != nil {
			return false
		}
		below, err := filepath.Rel(from, to)
		return err == nil && filepath.IsLocal(below)
	})
}
