// Package external finds kubebuilder's external plugins and calls them. Its main type is Plugin:
//
//	plugins, broken, err := external.Discover(root)
//	response, err := plugins[0].Call(ctx, project, request, nil, external.Limits{})
//
// A plugin is a program that reads a Request and answers with a Response of package kubebuilder/v1alpha1. The program is
// trusted, since the user has installed it, but its responses are not.
package external

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// Plugin is an installed plugin.
type Plugin struct {
	// Name and Version are the names of its folders.
	Name, Version string
	// Path is the path of the program.
	Path string
}

// Key returns the plugin's key in projects: NAME/VERSION.
func (p Plugin) Key() string { return p.Name + "/" + p.Version }

// FromPath returns the plugin with the program at a path. Its name and version are those of its folders if it is installed;
// otherwise they are the name of the file, up to the first dot, and v1.
func FromPath(program string) (Plugin, error) {
	at, err := filepath.Abs(program)
	if err != nil {
		return Plugin{}, err
	}
	info, err := os.Stat(at)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return Plugin{}, fmt.Errorf("the program %q must be a regular file", program)
	case !isExecutable(info):
		return Plugin{}, fmt.Errorf("the program %q must be executable: chmod +x %s", program, program)
	}
	version := filepath.Dir(at)
	name := filepath.Base(filepath.Dir(version))
	if v1alpha1.CheckPluginVersion(filepath.Base(version)) == "" && v1alpha1.IsProgram(filepath.Base(at), name) {
		return Plugin{Name: name, Version: filepath.Base(version), Path: program}, nil
	}
	name, _, _ = strings.Cut(filepath.Base(at), ".")
	return Plugin{Name: name, Version: "v1", Path: program}, nil
}

// Broken is an entry of a discovery folder without a usable plugin. Kubebuilder disables all plugins if there is one.
type Broken struct {
	// Folder is the path of the entry.
	Folder string
	// Reason is the requirement that the entry does not meet.
	Reason string
}

// Error implements error.
func (b Broken) Error() string { return fmt.Sprintf("%s: %s", b.Folder, b.Reason) }

// Root returns the discovery folder: $EXTERNAL_PLUGINS_PATH, or kubebuilder/plugins in the operating system's folder for
// user configuration.
func Root(system string, getenv func(string) string) (string, error) {
	if set := getenv("EXTERNAL_PLUGINS_PATH"); set != "" {
		return set, nil
	}
	home := getenv("HOME")
	switch set := getenv("XDG_CONFIG_HOME"); {
	case set != "":
		return filepath.Join(set, "kubebuilder", "plugins"), nil
	case home == "":
		return "", errors.New("the folder of external plugins must be set: EXTERNAL_PLUGINS_PATH, XDG_CONFIG_HOME or HOME")
	case system == "darwin":
		return filepath.Join(home, "Library", "Application Support", "kubebuilder", "plugins"), nil
	}
	return filepath.Join(home, ".config", "kubebuilder", "plugins"), nil
}

// Discover finds the plugins of a discovery folder, ROOT/NAME/VERSION/NAME[.EXTENSION], sorted. Unusable entries are
// returned with the reason, and do not affect others. A folder that does not exist has no plugins.
func Discover(root string) (plugins []Plugin, broken []Broken, err error) {
	names, err := entries(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		folder := filepath.Join(root, name.Name())
		if isHidden(name) {
			continue
		}
		if reason := checkName(name); reason != "" {
			broken = append(broken, Broken{folder, reason})
			continue
		}
		versions, err := entries(folder)
		if err != nil {
			broken = append(broken, Broken{folder, err.Error()})
		}
		for _, version := range versions {
			if isHidden(version) {
				continue
			}
			at := filepath.Join(folder, version.Name())
			program, reason := program(at, name.Name(), version)
			if reason != "" {
				broken = append(broken, Broken{at, reason})
				continue
			}
			plugins = append(plugins, Plugin{Name: name.Name(), Version: version.Name(), Path: program})
		}
	}
	return plugins, broken, nil
}

// entries returns the entries of a folder, sorted.
func entries(folder string) ([]os.DirEntry, error) {
	found, err := os.ReadDir(folder)
	var at *fs.PathError
	if errors.As(err, &at) && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%q must be a folder that can be read: %w", folder, at.Err)
	}
	return found, err
}

// isHidden reports whether an entry is a file of the operating system, such as .DS_Store. Kubebuilder rejects such entries.
func isHidden(entry os.DirEntry) bool { return strings.HasPrefix(entry.Name(), ".") }

func checkName(entry os.DirEntry) string {
	if !entry.IsDir() {
		return "must be a folder with the name of a plugin"
	}
	if problem := validation.IsDNS1123Subdomain(entry.Name()); len(problem) > 0 {
		return "the name of a plugin must be a DNS subdomain: " + problem[0]
	}
	return ""
}

// program returns the program in the folder of a version, or the reason why it is not usable.
func program(folder, name string, version os.DirEntry) (path, reason string) {
	if !version.IsDir() {
		return "", "must be a folder with the version of a plugin, and no link"
	}
	if problem := v1alpha1.CheckPluginVersion(version.Name()); problem != "" {
		return "", "the version " + problem
	}
	files, err := entries(folder)
	if err != nil {
		return "", err.Error()
	}
	var found []string
	for _, file := range files {
		if v1alpha1.IsProgram(file.Name(), name) {
			found = append(found, file.Name())
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Sprintf("must hold the program %q", name)
	case 1:
	default:
		return "", "must hold one program, not " + strings.Join(found, " and ")
	}
	path = filepath.Join(folder, found[0])
	info, err := os.Stat(path)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return "", fmt.Sprintf("the program %q must be a regular file", found[0])
	case !isExecutable(info):
		return "", fmt.Sprintf("the program %q must be executable: chmod +x %s", found[0], path)
	}
	return path, ""
}
