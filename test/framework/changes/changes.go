// Package changes generates a folder of documents and changes it at random. The documents are sandboxes, plugins, a
// catalog and a lock. Tests compare the output of a program that reuses an earlier run with the output without reuse.
package changes

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// Folder is a folder with documents.
type Folder struct {
	Path   string
	Random *rand.Rand

	Files   map[string][]*Sandbox // by the names of files, in order
	Plugins map[string]string     // scripts, by versions
	Stable  string                // the version of the channel, empty without a catalog
	Locked  bool
	Others  map[string]string // further files

	// Log has the names of the changes.
	Log []string

	made int // sandboxes
}

// Sandbox is a document.
type Sandbox struct {
	Name, Cluster, Plugin, Value, Annotations, Param, Comment string
	IsNative                                                  bool
}

// New returns a folder that exists, with a few sandboxes. Write writes them.
func New(path string, random *rand.Rand) *Folder {
	f := &Folder{
		Path: path, Random: random, Files: map[string][]*Sandbox{}, Others: map[string]string{},
		Plugins: map[string]string{"1.0.0": "one"},
	}
	for range 4 + random.IntN(4) {
		f.AddSandbox()
	}
	return f
}

// AddSandbox adds a sandbox in a new file or in one of the others.
func (f *Folder) AddSandbox() {
	f.made++
	name := fmt.Sprintf("s%d", f.made)
	file := name + ".yaml"
	if f.Random.IntN(3) == 0 && len(f.Files) > 0 {
		file = f.anyFile()
	}
	f.Files[file] = append(f.Files[file], &Sandbox{
		Name: name, Cluster: "staging", Plugin: "db@1.0.0", Value: "v", Param: "dbname",
	})
}

func (f *Folder) anyFile() string {
	names := slices.Sorted(maps.Keys(f.Files))
	return names[f.Random.IntN(len(names))]
}

// Any returns one of the sandboxes.
func (f *Folder) Any() *Sandbox {
	all := f.Files[f.anyFile()]
	return all[f.Random.IntN(len(all))]
}

func (s *Sandbox) text() string {
	spec := fmt.Sprintf("spec:\n  cluster: %s\n  resources:\n  - name: db\n    plugin: %s\n    params: {%s: %q}%s\n",
		s.Cluster, s.Plugin, s.Param, s.Value, s.Comment)
	if s.IsNative {
		return "name: " + s.Name + "\n" + spec
	}
	return "apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata:\n  name: " + s.Name +
		"\n  annotations: {team: web" + s.Annotations + "}\n" + spec
}

const pluginText = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata:
  name: db@VERSION
spec:
  runner: {image: "ubuntu:24.04", namespace: steps-VERSION}
  create:
  - name: provision
    inputs:
    - {name: dbname, valueFromSandbox: true, as: {env: DBNAME}}
    outputs:
    - {name: host, valueFromPath: /tmp/host}
    script: "#!/bin/sh\necho $DBNAME SCRIPT > /tmp/host\n"
`

func plugin(version, script string) string {
	text := strings.NewReplacer("steps-VERSION", "steps-"+version[:1], "VERSION", version, "SCRIPT", script).Replace(pluginText)
	if script == "nothing" {
		text, _, _ = strings.Cut(text, "  create:")
		text += "  delete: [{name: drop, script: \"#!/bin/sh\\necho drop\\n\"}]\n"
	}
	return text
}

// texts returns the files that the world has.
func (f *Folder) texts(t *testing.T) map[string]string {
	t.Helper()
	texts := maps.Clone(f.Others)
	for name, all := range f.Files {
		parts := make([]string, 0, len(all))
		for _, s := range all {
			parts = append(parts, s.text())
		}
		texts[name] = strings.Join(parts, "---\n")
	}
	for version, script := range f.Plugins {
		texts["plugin-"+version+".yaml"] = plugin(version, script)
	}
	if f.Stable != "" {
		texts["catalog.yaml"] = fmt.Sprintf("apiVersion: resourceplugins.dev/v1alpha1\nkind: Catalog\nmetadata: {name: c}\n"+
			"spec:\n  plugins:\n  - name: db\n    channels: {stable: %s}\n    versions:\n    - {version: %[1]s, digest: %q}\n",
			f.Stable, f.digest(t, f.Stable))
	}
	if f.Locked {
		texts["lock.yaml"] = fmt.Sprintf("apiVersion: resourceplugins.dev/v1alpha1\nkind: PluginLock\nmetadata: {name: lock}\n"+
			"spec:\n  plugins:\n  - {asked: \"db@^1\", chosen: db@1.0.0, digest: %q}\n", f.digest(t, "1.0.0"))
	}
	return texts
}

// digest returns the digest of a plugin.
func (f *Folder) digest(t *testing.T, version string) string {
	t.Helper()
	item, err := krm.NewItem([]byte(plugin(version, f.Plugins[version])))
	require.NoError(t, err)
	choice, err := resolve.NewCatalog([]*krm.Item{item}).Resolve("db@" + version)
	require.NoError(t, err)
	return choice.Digest
}

// write changes the files that differ. Some keep their time of modification.
func (f *Folder) Write(t *testing.T) {
	t.Helper()
	folder, texts := f.Path, f.texts(t)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		if _, found := texts[entry.Name()]; !found {
			require.NoError(t, os.Remove(filepath.Join(folder, entry.Name())))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		file := filepath.Join(folder, name)
		before, err := os.ReadFile(file)
		if err == nil && string(before) == texts[name] {
			continue
		}
		info, _ := os.Lstat(file)
		require.NoError(t, os.WriteFile(file, []byte(texts[name]), 0o600))
		if info != nil && f.Random.IntN(2) == 0 {
			require.NoError(t, os.Chtimes(file, info.ModTime(), info.ModTime()))
		}
	}
}
