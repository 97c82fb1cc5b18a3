package cli_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func write(t *testing.T, dir, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), mode))
	require.NoError(t, os.Chmod(path, mode))
	return path
}

// Certain fixes are made within the existing quotes, and no other byte changes.
func TestFixChangesWhatIsCertain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after string }{
		"a value":         {"name: a\nspec: {cluster: tuh} # tuh\n", "name: a\nspec: {cluster: the} # tuh\n"},
		"quoted":          {"name: a\nspec:\n  cluster:   'tuh'\n  x: \"tuh\"\n", "name: a\nspec:\n  cluster:   'the'\n  x: \"the\"\n"},
		"a key":           {"name: a\nspec:\n  cluster: b\n  form: |\n    form\n", "name: a\nspec:\n  cluster: b\n  from: |\n    form\n"},
		"a key, quoted":   {"name: a\nspec: {cluster: b, \"form\": []}\n", "name: a\nspec: {cluster: b, \"from\": []}\n"},
		"both":            {"name: a\nspec: {cluster: b, form: tuh}\n", "name: a\nspec: {cluster: b, from: the}\n"},
		"CRLF, no end":    {"name: a\r\nspec:\r\n  cluster: tuh", "name: a\r\nspec:\r\n  cluster: the"},
		"a mark":          {"\ufeffname: tuh\nspec: {cluster: tuh}\n", "\ufeffname: the\nspec: {cluster: the}\n"},
		"wide characters": {"name: a\nspec: {cluster: b, ä: 日本, x: tuh}\n", "name: a\nspec: {cluster: b, ä: 日本, x: the}\n"},
		"JSON":            {`{"name": "a", "spec": {"cluster": "tuh"}}`, `{"name": "a", "spec": {"cluster": "the"}}`},
		"documents": {
			"# a\nname: a\nspec: {cluster: b}\n---\n# b\nname: tuh\nspec:   {cluster:  b}\n...\n",
			"# a\nname: a\nspec: {cluster: b}\n---\n# b\nname: the\nspec:   {cluster:  b}\n...\n",
		},
		"an object":   {"apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: tuh}\n", "apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: the}\n"},
		"native keys": {"Name: a\nspec: {cluster: b}\n", "name: a\nspec: {cluster: b}\n"},
	} {
		path := write(t, t.TempDir(), "x.yaml", c.before, 0o640)
		got := run(speller(), "", "--fix", path)
		assert.Equal(t, 1, got.code, "%s: a hook that changes something fails", name)
		assert.Empty(t, got.stdout, "%s: what is left", name)
		assert.Contains(t, got.stderr, "fixed: "+path+":", name)
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, c.after, string(after), name)
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o640), info.Mode(), name)

		again := run(speller(), "", "--fix", path)
		assert.Equal(t, outcome{0, "", ""}, again, "%s: nothing is left to fix", name)
	}
}

// A fix that cannot be made safely is reported, its finding remains, and the file stays unchanged.
func TestFixRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, why string }{
		"a key that is there": {"name: a\nspec: {cluster: b, form: c, from: d}\n", "the key is there already"},
		"an anchor":           {"name: a\nspec: {cluster: &x tuh, y: *x}\n", "touch more than the value"},
		"a block":             {"name: a\nspec:\n  cluster: |-\n    tuh\n", "must be changed by hand"},
		"a variable":          {"name: \"@{v}\"\nspec: {cluster: b}\n", `does not say "tuh" there: a template may give it`},
		"a part":              {"name: \"@{p}h\"\nspec: {cluster: b}\n", "a template may give it"},
	} {
		path := write(t, t.TempDir(), "x.yaml", c.text, 0o600)
		got := run(speller(), "", "--fix", "--set", "v=tuh", "--set", "p=tu", path)
		assert.NotEmpty(t, got.stdout, name)
		assert.Contains(t, got.stderr, "not fixed: "+path, name)
		assert.Contains(t, got.stderr, c.why, name)
		assert.NotContains(t, got.stderr, "\nfixed", name)
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, c.text, string(after), name)
	}
}

// A value is changed in the file that holds it, which may be one that is embedded.
func TestFixChangesEmbeddedFiles(t *testing.T) {
	t.Parallel()
	dir := folder(t, misspelled)
	got := below(dir, run(speller(), "", "--fix", filepath.Join(dir, "plugin.yaml")))
	assert.Equal(t, 1, got.code)
	assert.Equal(t, `plugin.yaml:10:11: [info] ResourcePlugin/p spec.create[1].script: must be right
run.sh:2:8: [info] ResourcePlugin/p spec.create[0].script: must be right
`, got.stdout)
	assert.Equal(t, `fixed: plugin.yaml:5:11: ResourcePlugin/p spec.create[0].name: "tuh" becomes "the"
fixed: plugin.yaml:7:5: ResourcePlugin/p spec.create[1].form: key "form" becomes "from"
fixed: plugin.yaml:7:11: ResourcePlugin/p spec.create[1].form: "tuh" becomes "the"
fixed: step.yaml:2:1: ResourcePlugin/p spec.create[2].form: key "form" becomes "from"
`, got.stderr)
	embedded, err := os.ReadFile(filepath.Join(dir, "step.yaml"))
	require.NoError(t, err)
	assert.Equal(t, "name: last\nfrom: nowhere\n", string(embedded))
}

// Two documents embed one file: it is changed once.
func TestFixChangesASharedFileOnce(t *testing.T) {
	t.Parallel()
	dir := folder(t, "-- a.yaml --\nname: a\nspec: {runner: {}, create: [\"@{embed[yaml]: s.yaml}\"]}\n"+
		"-- b.yaml --\nname: b\nspec: {runner: {}, create: [\"@{embed[yaml]: s.yaml}\"]}\n-- s.yaml --\nform: tuh\n")
	got := run(speller(), "", "--fix", dir)
	assert.Equal(t, 1, got.code)
	text, err := os.ReadFile(filepath.Join(dir, "s.yaml"))
	require.NoError(t, err)
	assert.Equal(t, "from: the\n", string(text))
}

// One change of a file that is refused does not keep the others back.
func TestFixChangesWhatItCan(t *testing.T) {
	t.Parallel()
	path := write(t, t.TempDir(), "x.yaml", "name: tuh\nspec: {cluster: b, form: c, from: d}\n", 0o600)
	got := run(speller(), "", "--fix", path)
	assert.Contains(t, got.stderr, "fixed: "+path+":1:7")
	assert.Equal(t, 1, strings.Count(got.stderr, "not fixed: "), got.stderr)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "name: the\nspec: {cluster: b, form: c, from: d}\n", string(text))
}

func TestFixLeavesLinksAndFailuresAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const text = "name: tuh\nspec: {cluster: b}\n"
	path := write(t, dir, "real.yaml", text, 0o600)
	link := filepath.Join(dir, "link.yaml")
	require.NoError(t, os.Symlink("real.yaml", link))
	got := run(speller(), "", "--fix", link)
	assert.Equal(t, 0, got.code, "a warning is left")
	assert.Contains(t, got.stdout, `must not be "tuh"`)
	assert.Contains(t, got.stderr, "it must be in a regular file: name the file that the link leads to")
	target, err := os.Readlink(link)
	require.NoError(t, err)
	assert.Equal(t, "real.yaml", target)

	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Log("root may write everywhere: the case of a folder that cannot be written is left out")
		return
	}
	require.NoError(t, os.Chmod(dir, 0o500))
	got = run(speller(), "", "--fix", path)
	require.NoError(t, os.Chmod(dir, 0o700))
	assert.Equal(t, 2, got.code)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, text, string(after))
}

func TestFixNeedsFiles(t *testing.T) {
	t.Parallel()
	const why = "spell: --fix must come with files: the standard input cannot be changed\n"
	assert.Equal(t, outcome{2, "", why}, run(speller(), "name: tuh\n", "--fix", "-"))
	assert.Equal(t, 2, run(function(nil), "", "--fix", ".").code, "a function that prints documents fixes nothing")
}

// No file is left beside those that were there.
func TestFixLeavesNoOtherFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "x.yaml", "name: tuh\nspec: {cluster: b}\n", 0o600)
	run(speller(), "", "--fix", dir)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}
