package scaffold_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/scaffold"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// generator is a set of templates with its options.
type generator interface {
	Files() (scaffold.Files, error)
}

var generators = map[string]generator{
	"plugin": scaffold.Plugin{
		Name: "PostgresDB", Version: "1.2", Params: []string{"dbname", "size"}, Outputs: []string{"host", "password"},
		Image: "postgres:17", Description: "a PostgreSQL database: one for each sandbox",
	},
	"plugin-plain":    scaffold.Plugin{Name: "cache"},
	"plugin-variable": scaffold.Plugin{Name: "cache", Params: []string{"path", "signadot-sandbox-id", "null", "PS1", "ld-preload"}, Outputs: []string{"y"}},
	"sandbox": scaffold.Sandbox{
		Name: "feature-x", Plugin: "postgres-db@^1.2", Params: map[string]string{"dbname": "orders", "size": "10", "null": "yes", "b": "a\n\"b\""},
	},
	"sandbox-plain": scaffold.Sandbox{Name: "on", Plugin: "cache", Cluster: "1.0", Resource: "c"},
	"test": scaffold.Test{
		Plugin: "postgres-db", Params: map[string]string{"dbname": "orders", "size": "10"},
		Outputs: []v1alpha1.StepOutput{{Name: "provision", Output: "host"}, {Name: "provision", Output: "password"}},
	},
	"test-plain": scaffold.Test{Plugin: "cache"},
}

func TestFiles(t *testing.T) {
	t.Parallel()
	for name, g := range generators {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, err := g.Files()
			require.NoError(t, err)
			require.Len(t, files, 1)
			file := files.Paths()[0]
			golden := filepath.Join("testdata", name+".yaml")
			got := "# " + file + "\n" + files[file]
			if os.Getenv("UPDATE_GOLDEN") != "" {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
		})
	}
}

// item returns the only document of files.
func item(tb testing.TB, files scaffold.Files) *krm.Item {
	tb.Helper()
	require.Len(tb, files, 1)
	one, err := krm.NewItem([]byte(files[files.Paths()[0]]))
	require.NoError(tb, err)
	return one
}

// checkScripts parses the scripts of a plugin as a POSIX shell does.
func checkScripts(tb testing.TB, plugin *document.Plugin) {
	tb.Helper()
	for _, step := range document.Steps(&plugin.Spec) {
		assert.True(tb, strings.HasPrefix(step.Script, "#!/bin/sh\nset -eu\n"), step.Script)
		_, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(step.Script), step.Name)
		require.NoError(tb, err)
	}
}

// render renders a plugin for a sandbox, each step in its phase. There must be no findings.
func render(tb testing.TB, documents ...*krm.Item) []*krm.Item {
	tb.Helper()
	chain := build.New()
	chain.Validate.Strict = true
	list := krm.NewList(documents...)
	result, err := chain.Run(list)
	require.NoError(tb, err)
	for _, found := range list.Results() {
		require.NotContains(tb, []krm.Severity{krm.Error, krm.Warning}, found.Severity, "%s", found.Message)
	}
	require.NotEmpty(tb, result.Objects)
	return result.Objects
}

// A plugin and a sandbox that were made for each other have no findings and render.
func TestFiles_validateAndRender(t *testing.T) {
	t.Parallel()
	made, err := scaffold.Plugin{Name: "postgres-db", Params: []string{"dbname"}, Outputs: []string{"host"}}.Files()
	require.NoError(t, err)
	wanted, err := scaffold.Sandbox{Name: "x", Plugin: "postgres-db", Params: map[string]string{"dbname": "orders"}}.Files()
	require.NoError(t, err)
	plugin, problems := document.ReadPlugin(item(t, made))
	require.Empty(t, problems)
	assert.Equal(t, "postgres-db@1.0.0", plugin.Name)
	checkScripts(t, plugin)
	var jobs int
	for _, object := range render(t, item(t, made), item(t, wanted)) {
		if object.Kind() == "Job" {
			jobs++
		}
	}
	assert.Equal(t, 1, jobs)
}

// A test has the fields of its type.
func TestTest_isAPluginTest(t *testing.T) {
	t.Parallel()
	for name, g := range generators {
		if test, isTest := g.(scaffold.Test); isTest {
			files, err := g.Files()
			require.NoError(t, err)
			var spec v1alpha1.PluginTestSpec
			assert.Empty(t, strictyaml.Into(krm.Value(item(t, files).YNode(), "spec"), "spec", &spec), name)
			assert.Equal(t, test.Plugin, spec.Plugin)
			assert.Equal(t, test.Params, spec.Cases[0].Params)
			assert.Len(t, spec.Cases[0].Create.Outputs, len(test.Outputs))
		}
	}
}

func TestFiles_refuse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		generator generator
		want      string
	}{
		"no name":            {scaffold.Plugin{}, "name: name must not be empty"},
		"a name in a script": {scaffold.Plugin{Name: "a$(reboot)"}, `name: name "a$(reboot)" must hold letters, digits and dashes only`},
		"a path":             {scaffold.Plugin{Name: "../db"}, `name: name "../db" must start with a letter`},
		"a pin":              {scaffold.Plugin{Name: "db@1.0.0"}, `name: must be without a version, not "db@1.0.0"`},
		"a version":          {scaffold.Plugin{Name: "db", Version: "latest"}, `version: version "latest" must be a semver such as 1.0.0`},
		"an image": {scaffold.Plugin{Name: "db", Image: "a b"},
			`image: must be a valid image reference, not "a b": invalid reference format`},
		"a description": {scaffold.Plugin{Name: "db", Description: strings.Repeat("x", 256)}, "description: must have at most 255 bytes, not 256"},
		"a line break in YAML 1.1": {scaffold.Plugin{Name: "db", Description: "a\u2028b"},
			`description: must not hold U+2028 (line separator) as "a\u2028b" does`},
		"bytes": {scaffold.Sandbox{Name: "x", Plugin: "db", Cluster: "\xff"}, `cluster: must be UTF-8, not "\xff"`},
		"all of it": {scaffold.Plugin{Name: "db", Params: []string{"a", "a_b", "a", ""}, Outputs: []string{"-"}},
			`params: must hold letters, digits and dashes only, not as "a_b" does: write "a-b"` + "\n" + `params: must hold "a" once` + "\n" +
				"params: must not hold an empty name\n" + `outputs: must start with a letter, not as "-" does`},
		"one variable for two params": {scaffold.Plugin{Name: "db", Params: []string{"size", "Size"}},
			`params: inputs "size" and "Size" must not share the variable "SIZE": give one of them another as.env`},
		"a sandbox's name": {scaffold.Sandbox{Name: "a/b", Plugin: "db"}, `name: must hold letters, digits and dashes only, not as "a/b" does`},
		"a reference":      {scaffold.Sandbox{Name: "a", Plugin: "db@"}, "plugin: version must not be empty: drop the @ or give a semver such as @1.0.0"},
		"a param": {scaffold.Sandbox{Name: "a", Plugin: "db", Params: map[string]string{"a b": "", "c": "\x00"}},
			`param: must hold letters, digits and dashes only, not as "a b" does` + "\n" + `param: must not hold U+0000 (NUL) as "\x00" does`},
		"a test": {scaffold.Test{Plugin: "a b"}, `name: name "a b" must hold letters, digits and dashes only`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, err := c.generator.Files()
			require.EqualError(t, err, c.want)
			assert.Nil(t, files)
		})
	}
}

func TestBareName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"PostgresDB": "postgres-db", "postgres-db": "postgres-db", "DBCluster": "db-cluster", "S3Bucket": "s3-bucket",
		"Cache": "cache", "My-Cache": "my-cache", "v2": "v2", "": "", "HTTPSProxyV2": "https-proxy-v2",
	} {
		assert.Equal(t, want, scaffold.BareName(name), name)
	}
}

// Whatever the options are: they are refused, or come back from the documents, which have no findings, render, and hold no
// other scripts.
func FuzzFiles(f *testing.F) {
	f.Add("postgres-db", "dbname", "size", "host", "orders", "staging", "a database")
	f.Add("PostgresDB", "path", "Path", "y", "{{ .Name }}", "1.0", "a: b # c")
	f.Add("on", "null", "home", "no", "'\"\n", "@{x}", "$(id) `id`")
	f.Fuzz(func(t *testing.T, name, param, other, output, value, cluster, description string) {
		params := map[string]string{param: value, other: "b"}
		made, err := scaffold.Plugin{Name: name, Params: []string{param, other}, Outputs: []string{output}, Description: description}.Files()
		if err != nil {
			assert.NotContains(t, err.Error(), "template:")
			return
		}
		plugin, problems := document.ReadPlugin(item(t, made))
		require.Empty(t, problems)
		checkScripts(t, plugin)
		want := description
		if want == "" {
			want = scaffold.DefaultDescription
		}
		assert.Equal(t, want, plugin.Spec.Description)
		assert.Equal(t, output, plugin.Spec.Create[0].Outputs[0].Name)

		wanted, err := scaffold.Sandbox{Name: "x", Plugin: scaffold.BareName(name), Cluster: cluster, Params: params}.Files()
		if err != nil {
			return
		}
		sandbox, problems := document.ReadSandbox(item(t, wanted))
		require.Empty(t, problems)
		assert.Equal(t, params, sandbox.Spec.Resources[0].Params)
		render(t, item(t, made), item(t, wanted))

		tested, err := scaffold.Test{Plugin: scaffold.BareName(name), Params: params}.Files()
		require.NoError(t, err)
		var spec v1alpha1.PluginTestSpec
		require.Empty(t, strictyaml.Into(krm.Value(item(t, tested).YNode(), "spec"), "spec", &spec))
		assert.Equal(t, params, spec.Cases[0].Params)
	})
}
