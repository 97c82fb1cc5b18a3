package load

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
)

// kustomizations checks kustomizations before they are built, since kustomize would fetch what is remote, without a
// switch against it, and run what is a function. Whatever kustomize would take for remote is refused, even if there is a
// folder of that name.
type kustomizations struct {
	seen          map[string]bool // the folders that were checked
	pluginFolders map[string]bool // those that were checked for plugins
}

func checkKustomization(folder string) error {
	k := &kustomizations{seen: map[string]bool{}, pluginFolders: map[string]bool{}}
	return k.check(folder)
}

// check checks the kustomization of a folder and those that it is made of.
func (k *kustomizations) check(folder string) error {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return unwrapped(folder, err)
	}
	if k.seen[real] {
		return nil
	}
	k.seen[real] = true
	files, err := readKustomizations(folder)
	for _, file := range files {
		err = errors.Join(err, k.file(file))
	}
	return err
}

// kustomizationFile is one file that kustomize would take for the kustomization of a folder.
type kustomizationFile struct {
	types.Kustomization
	folder, name string
}

// refusedEntry is why an entry that kustomize itself would build is not built here.
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

func (k *kustomizations) file(f *kustomizationFile) error {
	for _, chart := range f.HelmCharts {
		return f.refuse("helmCharts", chart.Name, isHelm)
	}
	for _, field := range []struct {
		name    string
		entries []string
	}{{"resources", f.Resources}, {"components", f.Components}} {
		for _, entry := range field.entries {
			if err := k.source(f, field.name, entry); err != nil {
				return err
			}
		}
	}
	for _, field := range []struct {
		name    string
		entries []string
	}{{"generators", f.Generators}, {"transformers", f.Transformers}, {"validators", f.Validators}} {
		for _, entry := range field.entries {
			if err := k.plugins(f, field.name, entry); err != nil {
				return err
			}
		}
	}
	for _, loaded := range f.loadedFiles() {
		if isRemoteFile(loaded[1]) {
			return f.refuse(loaded[0], loaded[1], isRemote)
		}
	}
	return nil
}

// source checks an entry that is a file or another kustomization.
func (k *kustomizations) source(f *kustomizationFile, field, entry string) error {
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
		return k.check(below)
	}
	return nil
}

// loadedFiles returns the name of the field and the path of each other file that kustomize loads.
func (f *kustomizationFile) loadedFiles() [][2]string {
	var files [][2]string
	add := func(field string, paths ...string) {
		for _, path := range paths {
			files = append(files, [2]string{field, path})
		}
	}
	add("crds", f.Crds...)
	add("configurations", f.Configurations...)
	add("openapi", f.OpenAPI["path"])
	for _, patch := range slices.Concat(f.Patches, f.PatchesJson6902) {
		add("patches", patch.Path)
	}
	for _, patch := range f.PatchesStrategicMerge {
		add("patchesStrategicMerge", string(patch))
	}
	for _, replacement := range f.Replacements {
		add("replacements", replacement.Path)
	}
	addPairs := func(field string, sources types.KvPairSources) {
		add(field, slices.Concat(sources.FileSources, sources.EnvSources, []string{sources.EnvSource})...)
		for _, source := range sources.FileSources { // KEY=PATH
			_, path, _ := strings.Cut(source, "=")
			add(field, path)
		}
	}
	for _, generator := range f.ConfigMapGenerator {
		addPairs("configMapGenerator", generator.KvPairSources)
	}
	for _, generator := range f.SecretGenerator {
		addPairs("secretGenerator", generator.KvPairSources)
	}
	return files
}

// plugins checks an entry that configures generators, transformers or validators: objects, a file of objects, or a
// folder whose kustomization lists such files. One that changes the objects is refused, since they must be known here.
func (k *kustomizations) plugins(f *kustomizationFile, field, entry string) error {
	factory := resmap.NewFactory(provider.NewDefaultDepProvider().GetResourceFactory())
	objects, err := factory.NewResMapFromBytes([]byte(entry))
	if err != nil {
		if err := k.source(f, field, entry); err != nil {
			return err
		}
		path := filepath.Join(f.folder, entry)
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return k.pluginFolder(path)
		}
		content, err := readRegular(path)
		if err != nil {
			return f.wrong(field, entry, fmt.Errorf("must be a file or a folder: %w", err))
		}
		if objects, err = factory.NewResMapFromBytes(content); err != nil {
			return f.wrong(field, entry, fmt.Errorf("must hold objects: %w", err))
		}
	}
	for _, object := range objects.Resources() {
		if reason := pluginReason(object); reason != "" {
			return f.refuse(field, entry, reason)
		}
	}
	return nil
}

func (k *kustomizations) pluginFolder(folder string) error {
	if k.pluginFolders[folder] {
		return nil
	}
	k.pluginFolders[folder] = true
	files, err := readKustomizations(folder)
	if err != nil {
		return err
	}
	for _, f := range files {
		rest := f.Kustomization
		rest.Resources = nil
		if rest.CheckEmpty() == nil {
			return f.refuse("plugins of", folder, isBuilt)
		}
		for _, entry := range f.Resources {
			if err := k.plugins(f, "resources", entry); err != nil {
				return err
			}
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
	case loadsRemote(object.YNode(), false):
		return isRemote
	}
	return ""
}

// loadsRemote reports whether the configuration of a builtin names a remote file to load. Keys are read in any case.
func loadsRemote(node *yaml.Node, loaded bool) bool {
	switch node.Kind {
	case yaml.ScalarNode:
		_, path, _ := strings.Cut(node.Value, "=")
		return loaded && (isRemoteFile(node.Value) || isRemoteFile(path))
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := strings.ToLower(node.Content[i].Value)
			if loadsRemote(node.Content[i+1], loaded || slices.Contains(loadingKeys, key)) {
				return true
			}
		}
	case yaml.AliasNode:
		return true // kustomize has resolved them
	default:
		return slices.ContainsFunc(node.Content, func(n *yaml.Node) bool { return loadsRemote(n, loaded) })
	}
	return false
}

// loadingKeys are the keys of builtins that name files to load.
var loadingKeys = []string{"path", "paths", "files", "env", "envs", "targetfilepath", "valuesfile"}

// isRemoteFile reports whether kustomize would download a file.
func isRemoteFile(path string) bool {
	u, err := url.Parse(path)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// isRepository reports whether kustomize would clone a repository: it marks origins so.
func isRepository(path string) bool {
	return strings.HasPrefix(strings.ToLower(path), "git::") || (&resource.Origin{}).Append(path).Repo != ""
}
