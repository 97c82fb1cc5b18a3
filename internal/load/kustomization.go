package load

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	sigsyaml "sigs.k8s.io/yaml"
)

// kustomizations checks kustomizations before they are built, since kustomize would fetch remote entries, with no option to
// prevent it, and run functions. An entry that kustomize would treat as remote is refused, even if a folder has that name.
// The keys are the folders that were checked.
type kustomizations map[kustomizationFolder]bool

// kustomizationFolder is the folder of a kustomization, without links.
type kustomizationFolder struct {
	path       string
	configures bool // its objects configure generators, transformers or validators
}

// check checks the kustomization of a folder and those that it is made of.
func (k kustomizations) check(folder string, configures bool) error {
	resolved, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return ReadError(folder, err)
	}
	id := kustomizationFolder{resolved, configures}
	if k[id] {
		return nil
	}
	k[id] = true
	files, err := readKustomizations(folder)
	for _, file := range files {
		err = errors.Join(err, k.file(file, configures))
	}
	return err
}

// kustomizationFile is one file that kustomize would take for the kustomization of a folder.
type kustomizationFile struct {
	types.Kustomization
	folder, name string
}

// refusedEntry is the error for an entry that is refused here, although kustomize itself would build it.
type refusedEntry struct{ error }

func (f *kustomizationFile) refuse(field, entry, reason string) error {
	return refusedEntry{f.wrong(field, entry, errors.New(reason))}
}

func (f *kustomizationFile) wrong(field, entry string, err error) error {
	return fmt.Errorf("%s: %s: %q %w", filepath.Join(f.folder, f.name), field, entry, err)
}

// readKustomizations returns all kustomization files of a folder; kustomize refuses more than one.
func readKustomizations(folder string) ([]*kustomizationFile, error) {
	var files []*kustomizationFile
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		content, err := readRegular(filepath.Join(folder, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		file := &kustomizationFile{folder: folder, name: name}
		if err == nil {
			err = file.Unmarshal(content)
		}
		if err == nil {
			file.FixKustomization()
			err = file.CheckEmpty()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(folder, name), err)
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%q must be a folder with a %s", folder, konfig.DefaultKustomizationFileName())
	}
	return files, nil
}

// Reasons why an entry is refused.
const (
	isRemote   = "is remote: it must be a file or a folder"
	isFunction = "must be a builtin of kustomize: functions and plugins are not run here"
	isHelm     = "is a Helm chart: charts are not rendered here"
	isBuilt    = "must list resources only"
)

// file checks a kustomization. One whose objects are configurations must not change them, since they must be known here.
func (k kustomizations) file(f *kustomizationFile, configures bool) error {
	rest := f.Kustomization
	rest.Resources = nil
	if configures && rest.CheckEmpty() == nil {
		return f.refuse("plugins of", f.folder, isBuilt)
	}
	for _, chart := range f.HelmCharts {
		return f.refuse("helmCharts", chart.Name, isHelm)
	}
	for _, field := range []struct {
		name       string
		entries    []string
		configures bool
	}{
		{"resources", f.Resources, configures},
		{"components", f.Components, false},
		{"generators", f.Generators, true},
		{"transformers", f.Transformers, true},
		{"validators", f.Validators, true},
	} {
		for _, entry := range field.entries {
			if err := k.entry(f, field.name, entry, field.configures); err != nil {
				return err
			}
		}
	}
	text, err := sigsyaml.Marshal(f.Kustomization)
	var fields any
	if err == nil {
		err = sigsyaml.Unmarshal(text, &fields)
	}
	if field, path := remoteFile("", fields); path != "" {
		return f.refuse(field, path, isRemote)
	}
	return err
}

// entry checks an entry that is a file or another kustomization, or one that configures plugins: it may be objects, too.
func (k kustomizations) entry(f *kustomizationFile, field, entry string, configures bool) error {
	factory := resmap.NewFactory(provider.NewDefaultDepProvider().GetResourceFactory())
	if configures {
		if objects, err := factory.NewResMapFromBytes([]byte(entry)); err == nil {
			return f.plugins(field, entry, objects)
		}
	}
	if isRemoteFile(entry) || isRepository(entry) {
		return f.refuse(field, entry, isRemote)
	}
	below := entry
	if !filepath.IsAbs(below) {
		below = filepath.Join(f.folder, entry)
	}
	info, err := os.Stat(below)
	switch {
	case err != nil:
		return f.wrong(field, entry, fmt.Errorf("must be a file or a folder: %w", err))
	case info.IsDir():
		return k.check(below, configures)
	case !configures:
		return nil
	}
	content, err := readRegular(below)
	if err != nil {
		return f.wrong(field, entry, err)
	}
	objects, err := factory.NewResMapFromBytes(content)
	if err != nil {
		return f.wrong(field, entry, fmt.Errorf("must hold objects: %w", err))
	}
	return f.plugins(field, entry, objects)
}

// plugins checks objects that configure generators, transformers or validators.
func (f *kustomizationFile) plugins(field, entry string, objects resmap.ResMap) error {
	for _, object := range objects.Resources() {
		if reason := pluginReason(object); reason != "" {
			return f.refuse(field, entry, reason)
		}
	}
	return nil
}

// pluginReason returns why the configuration of a plugin is refused, empty if it is a builtin that loads local files.
func pluginReason(object *resource.Resource) string {
	annotations := object.GetAnnotations()
	_, function := annotations["config.kubernetes.io/function"]
	_, older := annotations["config.k8s.io/function"]
	gvk := object.GetGvk()
	switch {
	case function || older || gvk.Group != "" || gvk.Version != konfig.BuiltinPluginApiVersion:
		return isFunction
	case strings.HasPrefix(gvk.Kind, "HelmChart"):
		return isHelm
	}
	fields, err := object.Map()
	if _, file := remoteFile("", fields); err != nil || file != "" {
		return isRemote
	}
	return ""
}

// loadingKeys are the keys, in lower case, of a kustomization and of builtins below which there are files to load.
var loadingKeys = []string{
	"configurations", "crds", "env", "envs", "files", "patchesstrategicmerge", "path", "paths", "targetfilepath",
}

// remoteFile returns the first remote file that is to be loaded below a value, and the key that it is below. In files
// it may be written as KEY=FILE.
func remoteFile(key string, value any) (field, file string) {
	switch value := value.(type) {
	case string:
		_, file, _ := strings.Cut(value, "=")
		if key != "" && (isRemoteFile(value) || isRemoteFile(file)) {
			return key, value
		}
	case []any:
		for _, element := range value {
			if field, file = remoteFile(key, element); file != "" {
				return field, file
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			below := key
			if slices.Contains(loadingKeys, strings.ToLower(name)) {
				below = name
			}
			if field, file = remoteFile(below, value[name]); file != "" {
				return field, file
			}
		}
	}
	return "", ""
}

// isRemoteFile reports whether kustomize would download a file.
func isRemoteFile(path string) bool {
	u, err := url.Parse(path)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// isRepository reports whether kustomize would clone a repository: it marks origins so.
func isRepository(path string) bool {
	return strings.HasPrefix(strings.ToLower(path), "git::") || (&resource.Origin{}).Append(path).Repo != ""
}
