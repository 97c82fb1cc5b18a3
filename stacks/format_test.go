package stacks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/stacks"
	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/registry"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/ociimage"
)

const cachePackage = `# What the package is.
apiVersion: meta.pkg.crossplane.io/v1
kind: Configuration
metadata:
  name: cache
  annotations: {meta.crossplane.io/source: example.org}
spec: {}
---
apiVersion: apiextensions.crossplane.io/v1
kind: CompositeResourceDefinition
metadata: {name: xcaches.cache.example.org}
spec:
  group: cache.example.org
  names: {kind: XCache, plural: xcaches}
  versions: [{name: v1, served: true}]
`

// cacheLayout is the layout of an image with a package.yaml.
func cacheLayout(stream string) *ociimage.Layout {
	l := ociimage.New()
	return l.List(l.Image(ociimage.Tar(ociimage.File("package.yaml", stream))), "registry.example.org/acme/cache:v1.0.0")
}

// readPaths is load.Read with the format of the feature.
func readPaths(paths []string, options load.Options) (*load.Package, error) {
	options.Formats = stacks.Extension().Formats
	return load.Read(paths, options)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// folder writes the files of an archive.
func folder(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range txtar.Parse([]byte(archive)).Files {
		write(t, filepath.Join(dir, file.Name), string(file.Data))
	}
	return dir
}

// told returns the results of reading p as lines, with paths relative to dir.
func told(p *load.Package, dir string) []string {
	lines := []string{}
	for _, r := range p.Results() {
		subject := ""
		if r.ResourceRef != nil {
			subject = r.ResourceRef.Kind + "/" + r.ResourceRef.Name + " "
		}
		if r.Field != nil {
			subject += r.Field.Path + " "
		}
		line := fmt.Sprintf("%s:%d:%d: %s %s%s", r.Place.File, r.Place.Line, r.Place.Column, r.Severity, subject, r.Message)
		lines = append(lines, strings.ReplaceAll(line, dir+"/", ""))
	}
	return lines
}

// names returns kind, name and file of the documents.
func names(p *load.Package, dir string) []string {
	all := []string{}
	for _, d := range p.Documents {
		all = append(all, d.Item.Kind()+" "+d.Item.Name()+" "+strings.TrimPrefix(d.Item.PlaceOf("").File, dir+"/"))
	}
	return all
}

func texts(t *testing.T, read *load.Package) string {
	t.Helper()
	var all strings.Builder
	for _, d := range read.Documents {
		text, err := d.Item.Bytes()
		require.NoError(t, err)
		fmt.Fprintf(&all, "---\n%s", text)
	}
	return all.String()
}

// A package has the same documents in a layout and in a tar. Those of package.yaml on the disk stay as they are.
func TestRead_takesPackages(t *testing.T) {
	t.Parallel()
	l := cacheLayout(cachePackage)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "layout"), l.Done()))
	write(t, filepath.Join(dir, "cache.xpkg"), string(ociimage.TarOf(l.Files)))
	write(t, filepath.Join(dir, "plain/package.yaml"), cachePackage)
	digest := l.Index.Manifests[0].Digest.String()
	want := `---
# What the package is.
apiVersion: meta.pkg.crossplane.io/v1
kind: Configuration
metadata:
  name: cache
  annotations: {meta.crossplane.io/source: example.org, config.kubernetes.io/local-config: "true", resourceplugins.dev/package: 'registry.example.org/acme/cache:v1.0.0@` + digest + `'}
spec: {}
---
apiVersion: apiextensions.crossplane.io/v1
kind: CompositeResourceDefinition
metadata: {name: xcaches.cache.example.org, annotations: {config.kubernetes.io/local-config: "true", resourceplugins.dev/package-of: cache}}
spec:
  group: cache.example.org
  names: {kind: XCache, plural: xcaches}
  versions: [{name: v1, served: true}]
`
	for _, name := range []string{"layout", "cache.xpkg"} {
		read, err := readPaths([]string{filepath.Join(dir, name)}, load.Options{})
		require.NoError(t, err)
		assert.Empty(t, read.Results())
		assert.Equal(t, want, texts(t, read), name)
		path := filepath.Join(dir, name)
		assert.Equal(t, path, read.Documents[1].Package)
		assert.Equal(t, krm.Place{File: path + "/package.yaml", Line: 11, Column: 18}, read.Documents[1].Item.PlaceOf("metadata.name"))
		assert.Equal(t, cachePackage, string(read.Text(path+"/package.yaml")))
		assert.True(t, read.IsInImage(path+"/package.yaml"))
	}
	read, err := readPaths([]string{filepath.Join(dir, "plain")}, load.Options{})
	require.NoError(t, err)
	assert.Equal(t, "---\n"+strings.TrimSuffix(cachePackage, "\n")+"\n", texts(t, read))
	assert.Equal(t, filepath.Join(dir, "plain/package.yaml"), read.Documents[1].Package)
	assert.False(t, read.IsInImage(filepath.Join(dir, "plain/package.yaml")))

	items := make([]*krm.Item, len(read.Documents))
	for i, d := range read.Documents {
		items[i] = d.Item
	}
	found := pack.Find(krm.NewList(items...))
	require.Len(t, found, 1)
	assert.Len(t, found[0].Members, 1)
}

// Folders are searched only for .registry folders.
func TestRead_findsPackagesInFolders(t *testing.T) {
	t.Parallel()
	l := cacheLayout(cachePackage)
	dir := folder(t, `
-- other/.registry/index.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: of-another-program}
-- crossplane.yaml --
apiVersion: meta.pkg.crossplane.io/v1
kind: Configuration
metadata: {name: source}
-- app.yaml --
title: of another program
`)
	require.NoError(t, os.CopyFS(filepath.Join(dir, "layout"), l.Done()))
	write(t, filepath.Join(dir, "cache.tar"), string(ociimage.TarOf(l.Files)))
	read, err := readPaths([]string{dir}, load.Options{})
	require.NoError(t, err)
	assert.Empty(t, told(read, dir))
	assert.Equal(t, []string{"Configuration source crossplane.yaml", "ConfigMap of-another-program other/.registry/index.yaml"},
		names(read, dir))
	assert.Empty(t, read.Documents[0].Package)
}

func TestRead_reportsBrokenPackages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stream string
		want   []string
	}{
		"not YAML": {"a: [", []string{"p.tar/package.yaml:1:1: error must be valid YAML: did not find expected node content"}},
		"not text": {"\x00", []string{"p.tar/package.yaml:1:1: error must be text: it holds a NUL byte"}},
		"no metadata": {"# nothing\n", []string{"p.tar/package.yaml:0:0: error must have one document of meta.pkg.crossplane.io/v1 " +
			"(Provider, Configuration or Function)"}},
		"a native document": {"name: db\nspec: {runner: {image: a}, create: [{name: a, script: \"@{embed: /etc/passwd}\"}]}\n", []string{
			"p.tar/package.yaml:1:1: error must be a Kubernetes object (apiVersion, kind, metadata)"}},
		"a list": {cachePackage + "---\napiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Secret, metadata: {name: a}}]\n", []string{
			"p.tar/package.yaml:18:7: error List/ kind must not be in the package of a Configuration, which takes only " +
				"CompositeResourceDefinition, Composition, ManagedResourceActivationPolicy, Operation, CronOperation, WatchOperation: " +
				"remove the List of v1"}},
		"two packages": {cachePackage + "---\n" + cachePackage, []string{
			"p.tar/package.yaml:18:1: error Configuration/cache must be the only metadata of the package: " +
				`Configuration "cache" is in package.yaml, too`}},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "p.tar"), string(ociimage.TarOf(cacheLayout(c.stream).Done())))
		read, err := readPaths([]string{filepath.Join(dir, "p.tar")}, load.Options{})
		require.NoError(t, err)
		assert.Equal(t, c.want, told(read, dir), name)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "p.tar"), string(ociimage.Tar(ociimage.File("../x", ""))))
	read, err := readPaths([]string{filepath.Join(dir, "p.tar")}, load.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{`p.tar:0:0: error "../x": the path must not lead out of the archive: build it again without ".."`},
		told(read, dir))
}

// An unreadable document in a folder is an error if it is about a package.
func TestRead_takesRequestsAsOurs(t *testing.T) {
	t.Parallel()
	for _, group := range []string{"stacks.crossplane.io", "extensions.crossplane.io", "pkg.crossplane.io", "meta.pkg.crossplane.io"} {
		dir := folder(t, "-- a.yaml --\napiVersion: "+group+"/v1\nkind: Provider\nspec: {\n-- b.yaml --\n"+
			"apiVersion: v1\nkind: List\nitems: [{apiVersion: "+group+"/v1, kind: Provider, metadata: {name: in-list}}]\n")
		read, err := readPaths([]string{dir}, load.Options{})
		require.NoError(t, err)
		assert.Len(t, read.Findings, 1, group)
		assert.Empty(t, read.Skipped, group)
		assert.Equal(t, []string{"Provider in-list b.yaml"}, names(read, dir))
	}
}

// A package of a git revision is read like one of the disk, though its files cannot be read at random.
func TestRead_takesPackagesOfRevisions(t *testing.T) {
	t.Parallel()
	l := cacheLayout(cachePackage)
	files := fstest.MapFS{"p.xpkg": {Data: ociimage.TarOf(l.Done())}}
	for name, file := range l.Files {
		files["layout/"+name] = file
	}
	for _, path := range []string{"p.xpkg", "layout"} {
		read, err := readPaths([]string{path}, load.Options{Files: files, Label: "main:"})
		require.NoError(t, err)
		require.Len(t, read.Documents, 2)
		assert.Equal(t, "main:"+path+"/package.yaml", read.Documents[0].Item.PlaceOf("").File)
	}
}

// Real packages are the same from a folder, an OCI layout and a tar of docker save.
func TestRead_takesRealPackages(t *testing.T) {
	t.Parallel()
	checkout.Slow(t, "reads all real packages")
	folders, err := filepath.Glob(filepath.Join(checkout.Corpus(t), "stacks/*/*", registry.Folder))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	const name = "docker.io/acme/real:v9.9.9"
	imported := 0
	for _, folder := range folders {
		packages, err := pack.ReadPath(folder)
		require.NoError(t, err)
		var entries []ociimage.Entry
		for _, file := range packages[0].Files.Paths() {
			entries = append(entries, ociimage.File(".registry/"+file, string(packages[0].Files[file])))
		}
		layer := ociimage.Tar(entries...)
		l := ociimage.New()
		d := l.Image(layer)
		files := fstest.MapFS{
			"layout.tar": {Data: ociimage.TarOf(l.List(d, name).Done())},
			"saved.tar":  {Data: ociimage.TarOf(ociimage.Saved(name, nil, layer))},
		}
		read, err := readPaths([]string{folder}, load.Options{Image: name})
		require.NoError(t, err)
		want := texts(t, read)
		if len(read.Documents) > 0 {
			imported++
		}
		for path := range files {
			got, err := readPaths([]string{path}, load.Options{Files: files})
			require.NoError(t, err)
			assert.Equal(t, want, strings.ReplaceAll(texts(t, got), "@"+d.Digest.String(), ""), folder)
			assert.Len(t, got.Results(), len(read.Results()), folder)
		}
	}
	t.Logf("%d of %d packages have no error", imported, len(folders))
}
