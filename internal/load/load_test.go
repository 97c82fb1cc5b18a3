package load_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// folder writes the files of a txtar archive into a new folder.
func folder(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range txtar.Parse([]byte(archive)).Files {
		nativeWrite(t, filepath.Join(dir, file.Name), string(file.Data))
	}
	return dir
}

func nativeWrite(tb testing.TB, path, text string) {
	tb.Helper()
	require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(tb, os.WriteFile(path, []byte(text), 0o600))
}

// told returns the results of a package as lines, with paths below dir.
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
		place := fmt.Sprintf("%s:%d:%d", r.Place.File, r.Place.Line, r.Place.Column)
		line := fmt.Sprintf("%s: %s %s%s", place, r.Severity, subject, r.Message)
		lines = append(lines, strings.ReplaceAll(line, dir+"/", ""))
	}
	return lines
}

// names returns kind, name and file of the documents.
func names(p *load.Package, dir string) []string {
	all := []string{}
	for _, d := range p.Documents {
		file := strings.TrimPrefix(d.Item.PlaceOf("").File, dir+"/")
		all = append(all, strings.TrimSpace(d.Item.Kind()+" "+d.Item.Name()+" "+file))
	}
	return all
}

func TestReadMapsNativeDocumentsToObjects(t *testing.T) {
	t.Parallel()
	dir := folder(t, `
-- in.yaml --
#!/usr/bin/env vendor apply -f
# What it is for.
name: "@{name}@1.0.0" # its name
spec:
  # how it runs
  runner:
    image: ubuntu
  create:
  - name: a
    script: "@{embed: ./a.sh}"
    inputs: [{name: x, valueFromSandbox: true}]
-- a.sh --
#!/bin/sh
echo "@{not a directive}"
-- want.yaml --
# What it is for.
apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata:
  name: "hello@1.0.0" # its name
spec:
  # how it runs
  runner:
    image: ubuntu
  create:
    - name: a
      script: |
        #!/bin/sh
        echo "@{not a directive}"
      inputs: [{name: x, valueFromSandbox: true}]
`)
	in := filepath.Join(dir, "in.yaml")
	read, err := load.Read([]string{in}, load.Options{Values: map[string]string{"name": "hello"}})
	require.NoError(t, err)
	require.Empty(t, told(read, dir))
	require.Len(t, read.Documents, 1)
	d := read.Documents[0]
	assert.True(t, d.Native)

	got, err := d.Item.Bytes()
	require.NoError(t, err)
	want, err := os.ReadFile(filepath.Join(dir, "want.yaml"))
	require.NoError(t, err)
	assert.YAMLEq(t, string(want), string(got))
	assert.Contains(t, string(got), "# What it is for.")
	assert.NotContains(t, string(got), "#!/usr/bin/env")

	assert.Equal(t, krm.Place{File: in, Line: 3, Column: 7}, d.Item.PlaceOf("metadata.name"))
	assert.Equal(t, krm.Place{File: in, Line: 10, Column: 13}, d.Item.PlaceOf("spec.create[0].script"))
	script, _ := krm.Path("spec.create[0].script").Find(d.Item.YNode())
	require.Len(t, d.Origins[script], 1)
	assert.Equal(t, filepath.Join(dir, "a.sh"), d.Origins[script][0].File)
}

func TestReadKnowsKinds(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"{runner: {image: a}, create: []}":                      "ResourcePlugin",
		"{description: a, delete: []}":                          "ResourcePlugin",
		"{runer: {image: a}}":                                   "ResourcePlugin",
		"{Runner: {image: a}}":                                  "ResourcePlugin",
		"{cluster: a}":                                          "Sandbox",
		"{cluster: a, forks: []}":                               "Sandbox",
		"{cluster: a, resource: []}":                            "Sandbox",
		"{cluster: a, workloads: []}":                           "Sandbox",
		"{cluster: a, tags: {}}":                                "Sandbox",
		"{cluster: a, description: a, ttl: {}}":                 "Sandbox",
		"{cluster: a, resourses: []}":                           "Sandbox",
		"{forks: [], runer: {}}":                                "Sandbox",
		"{endpoints: [{name: a, host: b}]}":                     "Sandbox",
		"{endpoints: [{name: a, target: b}]}":                   "RouteGroup",
		"{cluster: a, match: {}}":                               "RouteGroup",
		"{match: {label: {}}, endpoints: [], cluster: a}":       "RouteGroup",
		"{cluster: a, endpoints: [{name: a, target: b}]}":       "RouteGroup",
		"&s {cluster: a}":                                       "Sandbox",
		`"@{spec[yaml]}"`:                                       "Sandbox",
		`{cluster: "@{c}", forks: "@{none}"}`:                   "Sandbox",
		"{<<: {description: a}, create: []}":                    "ResourcePlugin",
		"{runner: {}, create: [], delete: [], description: ''}": "ResourcePlugin",
	}
	for spec, want := range cases {
		read, err := load.Read([]string{load.Stdin}, load.Options{
			Input:  strings.NewReader("name: x\nspec: " + spec + "\n"),
			Values: map[string]string{"spec": "{cluster: a}", "c": "x"},
		})
		require.NoError(t, err)
		if assert.Len(t, read.Documents, 1, spec) {
			assert.Equal(t, want, read.Documents[0].Item.Kind(), spec)
		}
	}
}

func TestReadTakesEveryForm(t *testing.T) {
	t.Parallel()
	dir := folder(t, `
-- a.yaml --
# first
---
name: one
spec: {cluster: a}
--- # second
name: two
spec: {cluster: a}
...
# nothing
---
-- b.yml --
apiVersion: v1
kind: ConfigMap
metadata:
   name:   odd   # kept as it is
data: {a: 1e3}
---
apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata: {name: "@{not expanded}"}
-- c.json --
{"name": "three", "spec": {"cluster": "a"}}
-- d.yaml --
%YAML 1.2
---
name: four
spec: {cluster: a}
-- list.yaml --
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- {apiVersion: v1, kind: Secret, metadata: {name: five}}
- apiVersion: resourceplugins.dev/v1alpha1
  kind: Sandbox
  metadata: {name: six}
functionConfig: {}
-- other.yaml --
services: {web: {image: nginx}}
-- values.yaml --
- just
- a list
-- word.yaml --
word
-- empty.yaml --
-- pod-template.yaml --
spec: {containers: []}
`)
	read, err := load.Read([]string{dir}, load.Options{})
	require.NoError(t, err)
	assert.Empty(t, told(read, dir))
	assert.Equal(t, []string{
		"Sandbox one a.yaml",
		"Sandbox two a.yaml",
		"ConfigMap odd b.yml",
		"Sandbox @{not expanded} b.yml",
		"Sandbox three c.json",
		"Sandbox four d.yaml", "Secret five list.yaml", "Sandbox six list.yaml",
	}, names(read, dir))
	text, err := read.Documents[2].Item.Bytes()
	require.NoError(t, err)
	assert.Equal(t, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n   name:   odd   # kept as it is\ndata: {a: 1e3}\n",
		string(text))
	assert.Equal(t, 6, read.Documents[1].Item.PlaceOf("metadata.name").Line, "lines are those of the file")
	assert.Equal(t, 5, read.Documents[7].Item.PlaceOf("").Line)
}

func TestReadFindings(t *testing.T) {
	t.Parallel()
	const sandbox = "name: a\nspec: {cluster: b}\n"
	const noKind = "the kind of the document is not clear: spec must have one of runner, create, delete for a ResourcePlugin; " +
		"forks, resources, local for a Sandbox; match for a RouteGroup"
	const notDocument = "must be a Kubernetes object (apiVersion, kind, metadata) or a native document (name, spec)"
	const mustQuote = `a value that starts with @ must be quoted, as in "@{embed: ./script.sh}"`
	cases := map[string]struct {
		text string
		want []string
	}{
		"another key": {
			sandbox + "extra: 1\n",
			[]string{`3:1: warning Sandbox/a extra key "extra" is ignored: a native document has name and spec only`},
		},
		"a version": {
			"version: 1.0.0\n" + sandbox,
			[]string{
				`1:1: warning Sandbox/a version key "version" is ignored: the version must be part of the ` +
					`name, as in name: hello-db@1.2.0`,
			},
		},
		"a repeated key": {
			sandbox + "name: c\n",
			[]string{`3:1: error Sandbox/a name must be given once: key "name" is repeated`},
		},
		"the wrong case": {
			"Name: a\nSpec: {cluster: b}\n",
			[]string{
				`1:1: error Sandbox/a Name unknown key "Name": did you mean "name"?`,
				`2:1: error Sandbox/a Spec unknown key "Spec": did you mean "spec"?`,
			},
		},
		"no kind":       {"name: a\nspec: {description: b}\n", []string{"2:7: error " + noKind}},
		"an empty spec": {"name: a\nspec: {}\n", []string{"2:7: error " + noKind}},
		"no spec":       {"name: a\nspec:\n", []string{"2:6: error spec must be a mapping"}},
		"two kinds": {
			"name: a\nspec: {runner: {}, forks: []}\n",
			[]string{"2:7: error spec must be that of one kind: it has keys of a ResourcePlugin and of a Sandbox"},
		},
		"a list":         {"- a\n", []string{"1:1: error " + notDocument}},
		"a word":         {"a\n", []string{"1:1: error " + notDocument}},
		"other keys":     {"a: 1\n", []string{"1:1: error " + notDocument}},
		"half an object": {"kind: Sandbox\nspec: {}\n", []string{"1:1: error " + notDocument}},
		"not YAML": {
			sandbox + "---\na: b: c\n",
			[]string{`4:1: error must be valid YAML: quote the value: ": " starts a mapping`},
		},
		"a tab": {
			"name: a\nspec:\n\tcluster: b\n",
			[]string{"3:2: error must be valid YAML: a line must be indented with spaces, not with tabs"},
		},
		"a NUL": {"name: a\nspec: \x00\n", []string{"2:7: error must be text: it holds a NUL byte"}},
		"latin 1": {
			"name: a\nspec: {cluster: \xe4}\n",
			[]string{"2:17: error must be UTF-8: byte 0xe4 is not"},
		},
		"UTF-16": {"\xff\xfen\x00", []string{"1:1: error must be UTF-8, not UTF-16"}},
		"a missing value": {
			"name: a\nspec: {cluster: '@{c}'}\n",
			[]string{
				`2:17: error Sandbox/a spec.cluster "@{c}": variable "c" must have a value: give it with --set ` +
					`c=VALUE, or with --values FILE`,
			},
		},
		"in another key": {
			sandbox + "x: '@{c}'\n",
			[]string{
				`1:1: error Sandbox/a x "@{c}": variable "c" must have a value: give it with --set c=VALUE, or with --values FILE`,
				`3:1: warning Sandbox/a x key "x" is ignored: a native document has name and spec only`,
			},
		},
		"unquoted": {
			"name: a\nspec:\n  cluster: @{c}\n",
			[]string{
				"3:12: error " + mustQuote,
				`3:12: error Sandbox/a spec.cluster "@{c}": variable "c" must have a value: give it with --set ` +
					`c=VALUE, or with --values FILE`,
			},
		},
		"unquoted, thrice": {
			"name: @{v}\nspec:\n  cluster: @{v}-@{v} # it's\n  labels: {a: @{v}, b: [@{v}]}\n",
			[]string{
				"1:7: error " + mustQuote,
				"3:12: error " + mustQuote,
				"4:15: error " + mustQuote,
				"4:27: error " + mustQuote,
			},
		},
		"an old include": {
			"name: a\nspec:\n  runner: {}\n  create:\n  - script: @{include: ./a.sh}",
			[]string{
				"5:13: error " + mustQuote,
				`5:13: error ResourcePlugin/a spec.create[0].script "@{include: ./a.sh}": operation "include" ` +
					`is called "embed" today: write "@{embed: ./a.sh}"`,
			},
		},
		"an email address": {
			"name: a\nspec:\n  cluster: @b\n",
			[]string{"3:3: error must be valid YAML: found character that cannot start any token"},
		},
		"a list's config": {
			"{apiVersion: config.kubernetes.io/v1, kind: ResourceList, items: [], functionConfig: {a: b}}\n",
			[]string{
				"1:86: warning functionConfig has no effect on a list that is read as a file: give its fields " +
					"as flags",
			},
		},
		"a list's items": {
			"{apiVersion: config.kubernetes.io/v1, kind: ResourceList, items: [a, {}]}\n",
			[]string{"1:67: error items[0] of a ResourceList must be a mapping"},
		},
		"a list without": {
			"{apiVersion: config.kubernetes.io/v1, kind: ResourceList}\n",
			[]string{"1:1: error items of a ResourceList must be a list"},
		},
		"old Macintosh": {
			"name: a\rspec: {cluster: a}\r---\rname: b\rspec: {}\r",
			[]string{"3:1: error must be one YAML document: a second one begins here"},
		},
		"BOM and CRLF": {
			"\ufeffname: a\r\nspec:\r\n  cluster: b\r\n---\r\nx: y\r\n",
			[]string{"5:1: error " + notDocument},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			nativeWrite(t, filepath.Join(dir, "x.yaml"), c.text)
			read, err := load.Read([]string{filepath.Join(dir, "x.yaml")}, load.Options{Values: map[string]string{"v": "x"}})
			require.NoError(t, err)
			want := make([]string, len(c.want))
			for i, line := range c.want {
				want[i] = "x.yaml:" + line
			}
			assert.Equal(t, want, told(read, dir))
		})
	}
}

func TestReadIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 300 {
		nativeWrite(t, filepath.Join(dir, fmt.Sprintf("%d/%d.yaml", i%7, i)),
			fmt.Sprintf("name: s%d\nspec: {cluster: '@{c}', extra: @{x}}\n---\nbad: [\n", i))
	}
	first, err := load.Read([]string{dir}, load.Options{})
	require.NoError(t, err)
	assert.Len(t, first.Documents, 300)
	for range 3 {
		again, err := load.Read([]string{dir}, load.Options{})
		require.NoError(t, err)
		assert.Equal(t, names(first, dir), names(again, dir))
		assert.Equal(t, told(first, dir), told(again, dir))
	}
}

func TestReadKeepsWhatCannotBeFilledIn(t *testing.T) {
	t.Parallel()
	read, err := load.Read([]string{load.Stdin}, load.Options{
		Input: strings.NewReader("name: a\nspec: {cluster: '@{c}', description: '@{c}', labels: {x: '@{d}'}}\n"),
	})
	require.NoError(t, err)
	require.Len(t, read.Documents, 1)
	assert.Len(t, read.Documents[0].Problems, 2)
	assert.Len(t, read.Documents[0].Failed, 3)
	cluster, _ := krm.Path("spec.cluster").Find(read.Documents[0].Item.YNode())
	assert.Equal(t, "@{c}", cluster.Value)
	assert.Equal(t, load.StdinName, read.Documents[0].Item.PlaceOf("").File)
}

func TestNodeOfANestedAliasIsFilledIn(t *testing.T) {
	t.Parallel()
	read, err := load.Read([]string{load.Stdin}, load.Options{
		Values: map[string]string{"v": "x"},
		Input:  strings.NewReader("common: &c {cluster: '@{v}'}\nname: a\nspec: *c\n"),
	})
	require.NoError(t, err)
	require.Len(t, read.Documents, 1)
	text, err := read.Documents[0].Item.Bytes()
	require.NoError(t, err)
	var object map[string]any
	require.NoError(t, yaml.Unmarshal(text, &object))
	assert.Equal(t, map[string]any{"cluster": "x"}, object["spec"])
}

// Places in the output of `helm template` name the template of each document.
func TestRead_namesTheTemplatesOfHelm(t *testing.T) {
	t.Parallel()
	const text = "---\n# Source: shop/templates/db.yaml\napiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\n" +
		"metadata: {name: a}\nspec: {}\n" +
		"---\n# Source: shop/templates/two.yaml\napiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: ]\n" +
		"---\n# Source: x y.yaml\napiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: b}\n"
	read, err := load.Read([]string{load.Stdin}, load.Options{Input: strings.NewReader(text)})
	require.NoError(t, err)
	files := make([]string, 0, len(read.Documents))
	for _, document := range read.Documents {
		files = append(files, document.Item.PlaceOf("metadata.name").File)
	}
	assert.Equal(t, "<stdin> (shop/templates/db.yaml)", files[0])
	assert.Equal(t, load.StdinName, files[1])
	require.Len(t, read.Results(), 1)
	assert.Equal(t, "<stdin> (shop/templates/two.yaml)", read.Results()[0].Place.File)
	assert.Equal(t, 10, read.Results()[0].Place.Line) // where the parser was
	assert.NotEmpty(t, read.Text("<stdin> (shop/templates/db.yaml)"))
	for _, file := range files {
		assert.NotContains(t, file, "\x1b")
		assert.True(t, load.IsStdin(file))
	}
}
