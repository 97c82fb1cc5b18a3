package project_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/project"
)

const header = "apiVersion: resourceplugins.dev/v1alpha1\nkind: Project\n"

// write makes files below a folder; a name that ends in a slash is a folder.
func write(t *testing.T, files map[string]string) string {
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
			found, err := project.Find(filepath.Join(write(t, test.files), "a", "b"))
			require.NoError(t, err)
			if test.want == "" {
				require.Nil(t, found)
				return
			}
			require.NotNil(t, found)
			assert.Equal(t, map[string]string{"at": test.want}, found.Values)
			assert.Equal(t, project.FileName, filepath.Base(found.File))
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
			[]string{`FILE: rules.kind: the level of rule "kind" must be "off", "warning" or "error", not "loud"`,
				`FILE: rules.scripts: there is no rule "scripts": did you mean "script"? validate-plugin --explain lists all`,
				`FILE: variable "1a" must start with a letter and hold letters, digits, "_.-" only`},
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
			dir := write(t, map[string]string{"rplug.yaml": test.text})
			_, err := project.Find(dir)
			require.Error(t, err)
			want := strings.ReplaceAll(strings.Join(test.want, "\n"), "FILE", filepath.Join(dir, "rplug.yaml"))
			assert.Equal(t, want, err.Error())
		})
	}
}
