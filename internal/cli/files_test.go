package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// folder writes the files of a txtar archive into a new folder.
func folder(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, file.Name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, file.Data, 0o600))
	}
	return dir
}

// below removes the folder's path from the output of a run.
func below(dir string, o outcome) outcome {
	o.stdout = strings.ReplaceAll(o.stdout, dir+"/", "")
	o.stderr = strings.ReplaceAll(o.stderr, dir+"/", "")
	return o
}

const mixed = `
-- kustomization.yaml --
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
-- Kptfile.yaml --
apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: x}
-- config.yaml --
apiVersion: resourceplugins.dev/v1alpha1
kind: RenderPhase
metadata: {name: x}
-- foreign.yaml --
# kept as it is
apiVersion: v1
kind: ConfigMap
metadata:   {name:   "x"}
-- local.yaml --
apiVersion: v1
kind: Secret
metadata:
  name: local
  annotations: {config.kubernetes.io/local-config: "true"}
-- sandbox.yaml --
name: "@{name}" # whose
spec: {cluster: a}
`

func TestDocumentsAreReadyForKubectl(t *testing.T) {
	t.Parallel()
	dir := folder(t, mixed)
	got := run(function(nil), "", "--set", "name=n-1", dir)
	assert.Equal(t, 0, got.code)
	assert.Empty(t, got.stderr)
	golden(t, "documents.yaml", normal(got).stdout)

	all := run(function(nil), "", "--set", "name=n-1", "--keep-inputs", dir)
	assert.Equal(t, 5, strings.Count(all.stdout, "---\n"))
	assert.Contains(t, all.stdout, "kind: Kptfile")

	again := run(function(nil), got.stdout, "-")
	assert.Equal(t, normal(got).stdout, normal(again).stdout, "the output of one function is the input of the next")
}

func TestDocumentsAreNotPrintedWithAnError(t *testing.T) {
	t.Parallel()
	dir := folder(t, mixed+"-- error.yaml --\napiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  annotations: {error: kind}\n")
	got := below(dir, run(function(nil), "", "--verbose", dir))
	assert.Equal(t, 1, got.code)
	assert.Empty(t, got.stdout)
	assert.Equal(t, `error.yaml:2:7: [error] Pod/p kind: is of severity error
sandbox.yaml:1:7: [error] Sandbox/@{name} metadata.name: "@{name}": variable "name" must have a value: `+
		`give it with --set name=VALUE, or with --values FILE (template)
try: nothing printed: fix the errors above: 2 errors
`, got.stderr)
}

func checker(show func(*trial, cli.Call)) cli.Function {
	f := function(show)
	f.Modes = func() []cli.Mode { return []cli.Mode{&cli.Findings{}} }
	return f
}

const faulty = `
-- a.yaml --
name: a
spec:
  cluster: b
---
apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata:
  name: b
  annotations:
    warning: metadata.annotations.warning
    info: kind
-- broken.yaml --
name: a
spec: [
`

func TestFindingsAsText(t *testing.T) {
	t.Parallel()
	dir := folder(t, faulty)
	got := below(dir, run(checker(nil), "", "--verbose", dir))
	assert.Equal(t, outcome{1, `a.yaml:6:7: [info] Sandbox/b kind: is of severity info
a.yaml:10:14: [warning] Sandbox/b metadata.annotations.warning: is of severity warning
broken.yaml:2:1: [error] must be valid YAML: did not find expected node content (file)
`, "try: saw 2 documents: 1 error, 1 warning\n"}, got)
	before, err := os.ReadFile(filepath.Join(dir, "a.yaml"))
	require.NoError(t, err)
	assert.NotContains(t, string(before), "seen", "nothing is changed")
}

func TestFindingsAsJSON(t *testing.T) {
	t.Parallel()
	dir := folder(t, faulty)
	got := below(dir, run(checker(nil), "", "--output", "json", dir))
	assert.Equal(t, 1, got.code)
	assert.Empty(t, got.stderr)
	golden(t, "findings.json", got.stdout)
	var report struct{ Results []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &report))
	assert.Len(t, report.Results, 3)

	none := run(checker(nil), "name: a\nspec: {cluster: b}\n", "-", "--output=json")
	assert.Equal(t, 0, none.code)
	assert.JSONEq(t, `{"summary": "saw 1 documents", "results": []}`, none.stdout)
}

func TestOutputsThatDoNotExist(t *testing.T) {
	t.Parallel()
	got := run(checker(nil), "", "--output", "xml", ".")
	assert.Equal(t, outcome{2, "", "try: --output must be one of [\"text\" \"json\" \"sarif\" \"junit\"], not \"xml\"\n"}, got)
}

func TestFlagsConfigureTheFunction(t *testing.T) {
	t.Parallel()
	var seen trial
	f := function(func(c *trial, call cli.Call) {
		assert.True(t, call.FileMode)
		assert.Equal(t, "try", call.ConfigName)
		seen = *c
	})
	got := run(f, "name: a\nspec: {cluster: b}\n", "-", "--phases", "delete, update", "--phases=create", "--prune",
		"--retries", "7", "--runner-image=x=y", "--namespaces", "a=b,c", "--namespaces", "d=", "--namespaces", "a=b,c")
	require.Equal(t, 0, got.code, got.stderr)
	seen.show = nil
	assert.Equal(t, trial{
		Phases: []string{"delete", "update", "create"}, Prune: true, Retries: 7, RunnerImg: "x=y",
		Rename: map[string]string{"a": "b,c", "d": ""},
	}, seen)
}

// A config value that the function refuses makes the call wrong. Other results are still reported, but stdout is empty.
func TestMisconfiguredFlags(t *testing.T) {
	t.Parallel()
	f := function(func(_ *trial, call cli.Call) {
		call.ConfigError("runnerImage[1].x", "must be an image")
		call.ConfigError("phases[0]", "must be create\nor delete")
		assert.True(t, call.IsNative(call.List.Items()[0]))
		assert.False(t, call.IsNative(call.List.Items()[1]))
		call.List.Report(krm.NewResult(krm.Error, "must be right"))
	})
	for _, mode := range []cli.Mode{&cli.Printing{}, &cli.Printing{Rendered: true}, &cli.Findings{}} {
		f.Modes = func() []cli.Mode { return []cli.Mode{mode} }
		got := run(f, "name: a\nspec: {cluster: b}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\n", "-")
		want := "try: --runner-image: must be an image\n" + `try: --phases: must be create\nor delete` + "\n"
		if _, linter := mode.(*cli.Findings); !linter {
			want += "[error] must be right\n"
		}
		assert.Equal(t, outcome{2, "", want}, got)
	}
}

func TestAllWrongValuesAreReported(t *testing.T) {
	t.Parallel()
	got := run(function(nil), "", "--set", "c=\xff", "--set", "2=x", "--set", "1=x", "-")
	assert.Equal(t, outcome{2, "", `try: --set: variable "1" must start with a letter and hold letters, digits, "_.-" only
try: --set: variable "2" must start with a letter and hold letters, digits, "_.-" only
try: --set: the value of "c" must be UTF-8
`}, got)
	got = run(function(nil), "", "--retries=many", "--set", "x", "--prune=perhaps", "-")
	assert.Equal(t, outcome{2, "", `try: --retries: must be a whole number, not "many"
try: --set: must be KEY=VALUE, not "x"
try: --prune: must be true or false, not "perhaps"
`}, got)
}

// A value whose template could not be filled in is not checked. A function that needs it reports it once; one that only
// reports findings names the unset variables in its summary.
func TestUnfilledTemplatesHideWhatFollows(t *testing.T) {
	t.Parallel()
	judge := func(_ *trial, call cli.Call) {
		for _, item := range call.List.Items() {
			call.List.Report(krm.At(item, "spec.cluster", krm.Error, "must not hold braces"))
			call.List.Report(krm.At(item, "spec.description", krm.Error, "must be longer"))
		}
	}
	const text, missing = "name: a\nspec: {cluster: '@{c}', description: b}\n",
		`<stdin>:2:17: [error] Sandbox/a spec.cluster: "@{c}": variable "c" must have a value: ` +
			"give it with --set c=VALUE, or with --values FILE (template)\n"
	const other = "<stdin>:2:38: [error] Sandbox/a spec.description: must be longer\n"
	got := run(checker(judge), text, "-", "--verbose")
	assert.Equal(t, outcome{1, other, "try: saw 1 documents, without a value for c: 1 error\n"}, got)
	got = run(function(judge), text, "-")
	assert.Equal(t, outcome{1, "", missing + other}, got)
}

// Of a block scalar, only the lines with directives are not checked.
func TestUnfilledLinesOfABlockScalar(t *testing.T) {
	t.Parallel()
	f := checker(func(_ *trial, call cli.Call) {
		for line := 1; line <= 3; line++ {
			call.List.Report(krm.AtInside(call.List.Items()[0], "spec.description", line, 1, krm.Error, fmt.Sprint("line ", line)))
		}
	})
	got := run(f, "name: a\nspec:\n  cluster: b\n  description: |\n    one\n    @{two}\n    three\n", "-")
	assert.Equal(t, "<stdin>:5:5: [error] Sandbox/a spec.description: line 1\n"+
		"<stdin>:7:5: [error] Sandbox/a spec.description: line 3\n", got.stdout)
}

func TestValuesOfFiles(t *testing.T) {
	t.Parallel()
	dir := folder(t, `
-- one.yaml --
a: one
b: one
-- two.yaml --
b: two
c: two
-- number.yaml --
port: 8080
x y: a
-- list.yaml --
- a
`)
	file := func(name string) string { return filepath.Join(dir, name) }
	const text = "name: '@{a}-@{b}-@{c}'\nspec: {cluster: x}\n"
	named := function(func(_ *trial, call cli.Call) {
		call.List.Report(krm.NewResult(krm.Warning, call.List.Items()[0].Name()))
	})
	got := run(named, text, "-", "--values", file("one.yaml"), "--set", "c=set", "--values", file("two.yaml"))
	assert.Equal(t, "[warning] one-two-set\n", got.stderr, "the last file wins, --set over files")
	for name, want := range map[string]string{
		"number.yaml": "try: FILE:1: port: must be a string, not the number 8080: quote it\n",
		"list.yaml":   "try: FILE:1: must be a mapping, not a list\n",
		"gone.yaml":   "try: \"FILE\" must be a file that can be read: no such file or directory\n",
		".":           "try: \"FILE\" must be a regular file\n",
	} {
		got := run(named, text, "-", "--values", file(name))
		assert.Equal(t, outcome{2, "", strings.ReplaceAll(want, "FILE", file(name))}, got)
	}
}

// The text of a document can neither control the terminal nor start a second line.
func TestHostileTextStaysInItsLine(t *testing.T) {
	t.Parallel()
	name := `"a\u001b[31m\nerror: \u202egood\u2028"`
	got := run(checker(nil), "apiVersion: v1\nkind: Pod\nmetadata: {name: "+name+", annotations: {error: kind}}\n", "-")
	assert.Equal(t, 1, got.code)
	assert.Equal(t, 1, strings.Count(got.stdout, "\n"), "%q", got.stdout)
	assert.Contains(t, got.stdout, `Pod/a\x1b[31m\nerror: \u202egood\u2028 kind: is of severity error`)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a\x1b\nb.yaml"), []byte("name: a\nspec: ["), 0o600))
	got = run(checker(nil), "", dir)
	assert.Contains(t, got.stdout, `a\x1b\nb.yaml:2:1: [error] must be valid YAML`)
}

func TestFileModeIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 200 {
		text := fmt.Sprintf("name: s%d\nspec: {cluster: '@{1}', x: [}\n", i)
		if i%2 == 0 {
			text = fmt.Sprintf("name: s%d\nspec: {cluster: '@{1}'}\n", i)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.yaml", i)), []byte(text), 0o600))
	}
	first := run(checker(nil), "", dir)
	assert.Equal(t, 200, strings.Count(first.stdout, "\n"))
	for range 3 {
		assert.Equal(t, first, run(checker(nil), "", dir))
	}
}

func TestStdinHasNothingToReadTwice(t *testing.T) {
	t.Parallel()
	got := run(checker(nil), "name: a\nspec: {cluster: b}\n", "-", "-", "--verbose")
	assert.Equal(t, outcome{0, "", "try: saw 1 documents: no findings\n"}, got)
}
