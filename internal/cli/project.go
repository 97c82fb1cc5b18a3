package cli

import (
	"maps"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/project"
)

// ProjectConfig is the config of a function that heeds the project file in file mode.
type ProjectConfig interface {
	Config
	// ApplyProject sets what the project file says and no flag does; given says whether a flag is given.
	ApplyProject(file v1alpha1.Project, given func(flag string) bool)
}

// heedsProject reports whether the function reads the project file.
func (r *run) heedsProject() bool {
	_, heeds := r.config.(ProjectConfig)
	return heeds
}

// readValues completes the variables and the config with what files say: first the project file, then those of --values.
// Flags win.
func (r *run) readValues(flags *pflag.FlagSet) error {
	values := map[string]string{}
	if config, heeds := r.config.(ProjectConfig); heeds && !r.NoProject {
		found, err := project.Find(".")
		if err != nil {
			return err
		}
		if found != nil {
			r.project = found
			maps.Copy(values, found.Values)
			config.ApplyProject(found.Project, flags.Changed)
		}
	}
	more, err := project.ReadValues(r.Values)
	if err != nil {
		return err
	}
	maps.Copy(values, more)
	maps.Copy(values, r.Set)
	r.Set = values
	return nil
}

// projectName is the path of the project file from the working directory, empty if none is in force.
func (r *run) projectName() string {
	if r.project == nil {
		return ""
	}
	folder, err := os.Getwd()
	if err == nil {
		folder, err = filepath.Rel(folder, r.project.File)
	}
	if err != nil {
		return r.project.File
	}
	return filepath.ToSlash(folder)
}

// exclusions returns the patterns of the project file and of the flags. place returns where in the files that are read a
// folder is.
func (r *run) exclusions(place func(folder string) (string, error)) ([]load.Exclusion, error) {
	flags := load.Exclusion{Patterns: r.Exclude, From: ".", Source: "--exclude"}
	all := []load.Exclusion{flags}
	if name := r.projectName(); name != "" {
		all = []load.Exclusion{{Patterns: r.project.Exclude, From: filepath.Dir(name), Source: name}, flags}
	}
	for i := range all {
		var err error
		if all[i].From, err = place(all[i].From); err != nil {
			return nil, err
		}
	}
	return all, nil
}
