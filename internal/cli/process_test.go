package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// trial is a function whose config controls its behavior.
type trial struct {
	Phases    []string          `json:"phases" help:"the phases to render"`
	Prune     bool              `json:"prune" help:"remove what is not rendered"`
	Retries   int               `json:"retries" help:"how often"`
	RunnerImg string            `json:"runnerImage" help:"the image"`
	Rename    map[string]string `json:"namespaces" help:"names to replace; what is long goes on in a second line, below"`
	Do        string            `json:"do" flag:"-" help:"what to try"`

	show func(*trial, cli.Call)
}

func (c *trial) Process(call cli.Call) (string, error) {
	if c.show != nil {
		c.show(c, call)
	}
	switch c.Do {
	case "panic":
		c.Rename = nil
		c.Rename["x"] = "y"
	case "fail":
		return "", errors.New("cannot go on:\nat all")
	case "misconfigure":
		call.ConfigError("phases[0]", `must be "create" or "delete"`)
	}
	for _, item := range call.List.Items() {
		for _, severity := range []krm.Severity{krm.Error, krm.Warning, krm.Info} {
			if path, ok := item.Annotation(string(severity)); ok {
				call.List.Report(krm.At(item, krm.Path(path), severity, "is of severity "+string(severity)))
			}
		}
		if item.Kind() == "Sandbox" {
			item.Annotate("seen", "true")
		}
	}
	return fmt.Sprintf("saw %d documents", len(call.List.Items())), nil
}

func function(show func(*trial, cli.Call)) cli.Function {
	return cli.Function{
		Name: "try", Purpose: "tries things.", Kind: "Trial", Example: "try --prune plugins/",
		Config: func() cli.Config { return &trial{Phases: []string{"create"}, Retries: 3, show: show} },
	}
}

// outcome is the exit code and the output of a run.
type outcome struct {
	code           int
	stdout, stderr string
}

func run(f cli.Function, stdin string, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := f.Run(context.Background(), args, strings.NewReader(stdin), &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"

const sandbox = `items:
- apiVersion: resourceplugins.dev/v1alpha1
  kind: Sandbox
  metadata:
    name: s # kept
`

// annotated is a list with a sandbox that asks for results.
func annotated(severities ...string) string {
	var text strings.Builder
	text.WriteString(head + sandbox + "    annotations:\n      a: b\n")
	for _, severity := range severities {
		text.WriteString("      " + severity + ": metadata.name\n")
	}
	return text.String()
}

func TestStreamWritesTheList(t *testing.T) {
	t.Parallel()
	got := run(function(nil), annotated())
	assert.Equal(t, outcome{0, annotated() + "      seen: \"true\"\n", ""}, normal(got))
	assert.Equal(t, "try: saw 1 documents\n", run(function(nil), annotated(), "--verbose").stderr)
}

// normal writes the annotation that trial adds in one style.
func normal(o outcome) outcome {
	for _, style := range []string{"seen: 'true'", `seen: "true"`} {
		o.stdout = strings.ReplaceAll(o.stdout, style, `seen: "true"`)
	}
	return o
}

func TestExitLaw(t *testing.T) {
	t.Parallel()
	cases := []struct {
		severities []string
		code       int
		stderr     string
	}{
		{nil, 0, ""},
		{[]string{"info"}, 0, ""},
		{[]string{"warning"}, 0, "[warning] Sandbox/s metadata.name: is of severity warning\n"},
		{[]string{"error"}, 1, "[error] Sandbox/s metadata.name: is of severity error\n"},
		{[]string{"info", "warning", "error"}, 1, "[error] Sandbox/s metadata.name: is of severity error\n" +
			"[warning] Sandbox/s metadata.name: is of severity warning\n"},
	}
	for _, c := range cases {
		got := run(function(nil), annotated(c.severities...))
		assert.Equal(t, c.code, got.code, "%v", c.severities)
		assert.Equal(t, c.stderr, got.stderr)
		assert.Contains(t, got.stdout, "name: s # kept", "the list is written whatever is found")
		for _, severity := range c.severities {
			assert.Contains(t, got.stdout, "severity: "+severity)
		}
	}
}

func TestVerboseTellsInfosAndCounts(t *testing.T) {
	t.Parallel()
	got := run(function(nil), annotated("info", "warning", "error"), "--verbose")
	assert.Contains(t, got.stderr, "[info] Sandbox/s metadata.name: is of severity info\n")
	assert.True(t, strings.HasSuffix(got.stderr, "try: saw 1 documents: 1 error, 1 warning\n"), got.stderr)
}

func TestCallsThatAreWrong(t *testing.T) {
	t.Parallel()
	typed := func(do string) string {
		return head + "items: []\nfunctionConfig: {apiVersion: resourceplugins.dev/v1alpha1, kind: Trial, do: " + do + "}\n"
	}
	cases := map[string]struct {
		stdin  string
		args   []string
		stderr string
	}{
		"nothing": {"", nil, "try: stdin: "},
		"a document": {
			"name: a\nspec: {cluster: b}\n",
			nil,
			"try: stdin: not a ResourceList: must be of apiVersion \"config.kubernetes.io/v1\" and kind \"ResourceList\", " +
				"not apiVersion \"\" and kind \"\"; to read documents from stdin, use \"try -\"\n",
		},
		"documents": {
			"name: a\n---\nname: b\n",
			nil,
			"try: stdin: line 3: must be one document, but a second one starts here; to read documents from stdin, use \"try -\"\n",
		},
		"another version of lists": {
			"apiVersion: v1\nkind: ResourceList\n",
			nil,
			"try: stdin: not a ResourceList: must be of apiVersion \"config.kubernetes.io/v1\" and kind \"ResourceList\", " +
				"not apiVersion \"v1\" and kind \"ResourceList\"\n",
		},
		"not YAML":      {"a: [\n", nil, "try: stdin: "},
		"two documents": {head + "items: []\n---\na: b\n", nil, "try: stdin: "},
		"a failure":     {typed("fail"), nil, "try: cannot go on:\\nat all\n"},
		"a panic":       {typed("panic"), nil, "try: internal error at "},
		"an unknown flag": {
			"",
			[]string{"--prun", "."},
			"try: unknown flag \"--prun\": did you mean \"--prune\"?\n",
		},
		"a strange flag": {
			"",
			[]string{"--zzzzzzzzzzz", "."},
			"try: unknown flag \"--zzzzzzzzzzz\": see --help\n",
		},
		"a short flag": {"", []string{"-x", "."}, "try: unknown flag \"-x\": see --help\n"},
		"no value":     {"", []string{"--retries"}, "try: --retries must have a value\n"},
		"a bad number": {
			"",
			[]string{"--retries=many", "."},
			"try: --retries: must be a whole number, not \"many\"\n",
		},
		"a bad boolean": {
			"",
			[]string{"--prune=perhaps", "."},
			"try: --prune: must be true or false, not \"perhaps\"\n",
		},
		"a bad pair": {"", []string{"--set", "x", "."}, "try: --set: must be KEY=VALUE, not \"x\"\n"},
		"a bad variable": {
			"",
			[]string{"--set", "1=x", "."},
			"try: --set: variable \"1\" must start with a letter and hold letters, digits, \"_.-\" only\n",
		},
		"two values": {
			"",
			[]string{"--set", "x=1", "--set", "x=2", "."},
			"try: --set: must give \"x\" one value, not two\n",
		},
		"a value not UTF-8": {
			"",
			[]string{"--set", "x=\xff", "."},
			"try: --set: the value of \"x\" must be UTF-8\n",
		},
		"a flag alone": {
			"",
			[]string{"--prune"},
			"try: --prune must come with a path: without one the functionConfig on stdin decides\n",
		},
		"a field, no flag":   {"", []string{"--do", "x", "."}, "try: unknown flag \"--do\": did you mean \"--doc\"?\n"},
		"findings elsewhere": {"", []string{"--output", "json", "."}, "try: unknown flag \"--output\": see --help\n"},
		"no such file": {
			"",
			[]string{"/nowhere"},
			"try: \"/nowhere\" must be a file or a folder that can be read: no such file or directory\n",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(function(nil), c.stdin, c.args...)
			assert.Equal(t, 2, got.code)
			assert.Empty(t, got.stdout)
			assert.True(t, strings.HasPrefix(got.stderr, c.stderr), got.stderr)
			assert.Equal(t, 1, strings.Count(got.stderr, "\n"), "one line: %q", got.stderr)
		})
	}
}

func TestAPanicTellsWhereAndWhatToDo(t *testing.T) {
	t.Parallel()
	got := run(function(nil), head+"items: []\nfunctionConfig: {apiVersion: v1, kind: ConfigMap, data: {do: panic}}\n")
	assert.Regexp(t, `^try: internal error at .*cli_test\.\(\*trial\)\.Process:\d+: assignment to entry in nil map; `+
		`please report it with the input at https://github.com/resource-plugins/krm-functions/issues\n$`, got.stderr)
}

// broken fails at every write, as a closed pipe does.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestAnOutputThatCannotBeWrittenIsAWrongCall(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"-"}, {"--help"}, {"--version"}} {
		var stderr bytes.Buffer
		code := function(nil).Run(t.Context(), args, strings.NewReader(annotated()), broken{}, &stderr)
		assert.Equal(t, 2, code, "%q", args)
		assert.Equal(t, "try: stdout must be writable: closed\n", stderr.String())
	}
}

func TestAnInputThatCannotBeReadIsAWrongCall(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	code := function(nil).Run(t.Context(), nil, io.MultiReader(strings.NewReader(head), failing{}), &stdout, &stderr)
	assert.Equal(t, 2, code)
	assert.Equal(t, "try: stdin: gone\n", stderr.String())
	assert.Empty(t, stdout.String())
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("gone") }

// A file on stdin is read from where it stands, as the shell left it.
func TestStreamReadsAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "list.yaml")
	require.NoError(t, os.WriteFile(path, []byte("# skipped\n"+annotated()), 0o600))
	stdin, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = stdin.Close() }()
	_, err = stdin.Seek(int64(len("# skipped\n")), io.SeekStart)
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	assert.Equal(t, 0, function(nil).Run(t.Context(), nil, stdin, &stdout, &stderr), stderr.String())
	assert.True(t, strings.HasPrefix(stdout.String(), head))
}

func TestHelpFitsAScreen(t *testing.T) {
	t.Parallel()
	got := run(function(nil), "", "--help", "--prune", "--phases", "delete")
	assert.Equal(t, 0, got.code)
	golden(t, "help.txt", got.stdout)
	lines := strings.Split(got.stdout, "\n")
	assert.Less(t, len(lines), 40)
	for _, line := range lines {
		assert.LessOrEqual(t, len(line), 100, line)
	}
	assert.Equal(t, got, run(function(nil), "", "-h"))
}

func TestVersion(t *testing.T) {
	cli.Version = "v1.2.3"
	defer func() { cli.Version = "" }()
	assert.Equal(t, outcome{0, "try v1.2.3\n", ""}, run(function(nil), "", "--version"))
	cli.Version = ""
	assert.Regexp(t, `^try \S+\n$`, run(function(nil), "", "--version").stdout)
}

// golden compares text with a file under testdata, or writes the file where UPDATE_GOLDEN is set.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), text)
}

// A function that is mounted as a subcommand names itself so in messages and help, and keeps its name in documents.
func TestCommandOfASubcommand(t *testing.T) {
	t.Parallel()
	name := ""
	f := function(func(_ *trial, call cli.Call) { name = call.ConfigName })
	f.Command = "tool attempt"
	assert.Equal(t, "tool attempt: saw 1 documents\n", run(f, "name: a\nspec: {cluster: b}\n", "-", "--verbose").stderr)
	assert.Equal(t, "try", name)
	assert.Contains(t, run(f, "", "--zzzzzzzzzzz", ".").stderr, "tool attempt: unknown flag")
	help := run(f, "", "--help").stdout
	assert.Contains(t, help, "tool attempt tries things.\n")
	assert.Contains(t, help, "\n  tool attempt [flags] PATH...")
	assert.Contains(t, help, "\n  tool attempt --prune plugins/\n")
	assert.True(t, strings.HasPrefix(run(f, "", "--version").stdout, "tool attempt "))
}
