package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
)

const header = "apiVersion: resourceplugins.dev/v1alpha1\nkind: Project\n"

// projectFiles makes files below a folder; a name that ends in a slash is a folder.
func projectFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		if strings.HasSuffix(name, "/") {
			require.NoError(t, os.MkdirAll(file, 0o755))
			continue
		}
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return dir
}

func TestFindLooksUpToTheTopOfTheRepository(t *testing.T) {
	t.Parallel()
	const outer, inner = header + "values: {at: outer}\n", header + "values: {at: inner}\n"
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"in the folder":                     {map[string]string{"a/b/rplug.yaml": inner}, "inner"},
		"above, in the repository":          {map[string]string{".git/": "", "rplug.yaml": outer, "a/b/": ""}, "outer"},
		"a work tree's .git is a file":      {map[string]string{".git": "gitdir: x", "rplug.yaml": outer, "a/b/": ""}, "outer"},
		"the nearest one":                   {map[string]string{".git/": "", "rplug.yaml": outer, "a/rplug.yaml": inner, "a/b/": ""}, "inner"},
		"above the repository":              {map[string]string{"rplug.yaml": outer, "a/.git/": "", "a/b/": ""}, ""},
		"above, without a repository":       {map[string]string{"rplug.yaml": outer, "a/b/": ""}, ""},
		"in the folder of a repository":     {map[string]string{"a/b/.git/": "", "a/b/rplug.yaml": inner}, "inner"},
		"none":                              {map[string]string{".git/": "", "a/b/": ""}, ""},
		"a folder below is not looked into": {map[string]string{".git/": "", "a/b/c/rplug.yaml": inner}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := cli.FindProject(filepath.Join(projectFiles(t, test.files), "a", "b"))
			require.NoError(t, err)
			if test.want == "" {
				require.Nil(t, found)
				return
			}
			require.NotNil(t, found)
			assert.Equal(t, map[string]string{"at": test.want}, found.Values)
			assert.Equal(t, cli.ProjectFile, filepath.Base(found.File))
		})
	}
}

func TestFindSaysEverythingThatIsWrong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"keys and types": {
			header + "exlude: [a]\nvalues: {a: 1}\n",
			[]string{`FILE:4: values.a: must be a string, not the number 1: quote it`,
				`FILE:3: exlude: unknown key "exlude": did you mean "exclude"?`},
		},
		"rules and names": {
			header + "rules: {scripts: \"off\", kind: loud}\nvalues: {1a: x}\n",
			[]string{`FILE:3: rules.kind: the level of rule "kind" must be "off", "warning" or "error", not "loud"`,
				`FILE:3: rules.scripts: there is no rule "scripts": did you mean "script"? validate-plugin --explain lists all`,
				`FILE:4: variable "1a" must start with a letter and hold letters, digits, "_.-" only`},
		},
		"sections": {
			header + "render: {engin: argo, cluster: a, phases: [delete], stepTimeoutSeconds: soon}\nfork: {replicas: 2, prune: true}\n",
			[]string{
				`FILE:3: render.stepTimeoutSeconds: must be a whole number, not the string "soon"`,
				`FILE:3: render.engin: unknown key "engin": did you mean "engine"?`,
			},
		},
		"keys of sections": {
			header + "render: {cluster: a, phases: [delete], retries: 0}\nfork: {replicas: 2, prune: true}\n",
			[]string{
				`FILE:3: render.phases: must be a flag: it is about one call`,
				`FILE:3: render.cluster: must be at the top of the file, as "cluster"`,
				`FILE:4: fork.prune: must be a flag: it is about one call`,
			},
		},
		"images and paths": {
			header + "helperImage: Helper\ncatalogs:\n- a\n- /etc\n- \"-\"\n- \"\"\n",
			[]string{
				`FILE:3: helperImage: must be a valid image reference, not "Helper": invalid reference format: ` +
					`repository name (library/Helper) must be lowercase`,
				`FILE:6: catalogs[1]: must be relative to the project file, not "/etc"`,
				`FILE:7: catalogs[2]: must be a file or a folder, not "-"`,
				`FILE:8: catalogs[3]: must be a file or a folder, not ""`,
			},
		},
		"another document": {
			"apiVersion: v1\nkind: ConfigMap\n",
			[]string{`FILE: must be a Project of resourceplugins.dev/v1alpha1, not "ConfigMap" of "v1"`},
		},
		"no YAML": {"a: [\n", []string{"FILE:1: must be valid YAML: did not find expected node content"}},
		"empty":   {"", []string{`FILE: must be a Project of resourceplugins.dev/v1alpha1, not "" of ""`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := projectFiles(t, map[string]string{"rplug.yaml": test.text})
			_, err := cli.FindProject(dir)
			require.Error(t, err)
			want := strings.ReplaceAll(strings.Join(test.want, "\n"), "FILE", filepath.Join(dir, "rplug.yaml"))
			assert.Equal(t, want, err.Error())
		})
	}
}

func TestCatalogPathsStayInTheRepository(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files    map[string]string // besides those of every case
		catalogs string
		want     []string
		err      []string
	}{
		"files and folders": {
			nil, "[../catalogs/shared, ../plugins/, here.yaml]",
			[]string{"a/../catalogs/shared", "a/../plugins", "a/here.yaml"}, nil,
		},
		"missing and outside": {
			nil, "[../no, ../../other, out]", nil,
			[]string{
				`FILE:3: catalogs[0]: "../no" must exist`,
				`FILE:3: catalogs[1]: "../../other" must be in the git repository of the project file, or without one in its folder`,
				`FILE:3: catalogs[2]: "out" must be in the git repository of the project file, or without one in its folder`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := projectFiles(t, map[string]string{
				"other/x.yaml": "", "top/.git/": "", "top/catalogs/shared/c.yaml": "", "top/plugins/": "",
				"top/a/here.yaml": "", "top/a/rplug.yaml": header + "catalogs: " + test.catalogs + "\n",
			})
			require.NoError(t, os.Symlink(filepath.Join(dir, "other"), filepath.Join(dir, "top", "a", "out")))
			top := filepath.Join(dir, "top")
			found, err := cli.FindProject(filepath.Join(top, "a"))
			require.NoError(t, err)
			paths, err := found.CatalogPaths()
			for _, want := range test.err {
				require.ErrorContains(t, err, strings.ReplaceAll(want, "FILE", filepath.Join(top, "a", "rplug.yaml")))
			}
			if test.err != nil {
				return
			}
			require.NoError(t, err)
			for i, want := range test.want {
				assert.Equal(t, filepath.Join(top, want), paths[i])
			}
			assert.Len(t, paths, len(test.want))
		})
	}
	t.Run("without a repository, below the file's folder", func(t *testing.T) {
		t.Parallel()
		dir := projectFiles(t, map[string]string{"x/rplug.yaml": header + "catalogs: [../y, z]\n", "x/z/": "", "y/": ""})
		found, err := cli.FindProject(filepath.Join(dir, "x"))
		require.NoError(t, err)
		_, err = found.CatalogPaths()
		assert.EqualError(t, err, filepath.Join(dir, "x", "rplug.yaml")+
			`:3: catalogs[0]: "../y" must be in the git repository of the project file, or without one in its folder`)
	})
}

// A command without a project file has neither catalogs nor patterns nor variables but those of its flags.
func TestNoProject(t *testing.T) {
	t.Parallel()
	var none *cli.Project
	paths, err := none.CatalogPaths()
	require.NoError(t, err)
	assert.Empty(t, paths)
	assert.Empty(t, none.Exclusions())
	assert.Empty(t, none.Name())
	values, err := none.Variables(nil, map[string]string{"a": "b"})
	require.NoError(t, err)
	assert.Equal(t, map[string]cli.VariableValue{"a": {Text: "b", Source: "--set"}}, values)
}

// Of several values of a variable the flag's counts, then that of the last file, then the project file's.
func TestVariables(t *testing.T) {
	t.Parallel()
	dir := projectFiles(t, map[string]string{
		"rplug.yaml": header + "values:\n  a: project\n  b: project\n  c: project\n  d: project\n",
		"one.yaml":   "b: one\nc: one\nd: one\n", "two.yaml": "# two\nc: two\nd: two\n", "bad.yaml": "1a: x\n",
		"large.yaml": "a: " + strings.Repeat("x", 10) + "\xff\n",
	})
	one, two := filepath.Join(dir, "one.yaml"), filepath.Join(dir, "two.yaml")
	found, err := cli.FindProject(dir)
	require.NoError(t, err)
	values, err := found.Variables([]string{one, two}, map[string]string{"d": "flag"})
	require.NoError(t, err)
	assert.Equal(t, map[string]cli.VariableValue{
		"a": {Text: "project", Source: filepath.Join(dir, "rplug.yaml") + ":4"}, "b": {Text: "one", Source: one + ":1"},
		"c": {Text: "two", Source: two + ":2"}, "d": {Text: "flag", Source: "--set"},
	}, values)
	for file, want := range map[string]string{
		"bad.yaml":   `:1: variable "1a" must start with a letter and hold letters, digits, "_.-" only`,
		"large.yaml": `:1: must be UTF-8: byte 0xff is not`,
	} {
		_, err = found.Variables([]string{filepath.Join(dir, file)}, nil)
		require.EqualError(t, err, filepath.Join(dir, file)+want)
	}
	_, err = found.Variables([]string{dir}, nil)
	assert.EqualError(t, err, `"`+dir+`" must be a regular file`)
}
