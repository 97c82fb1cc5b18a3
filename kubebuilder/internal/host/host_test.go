package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/host"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// fixture is a project and a discovery folder whose plugins are shell scripts.
type fixture struct {
	t       *testing.T
	project string
	root    string
}

func newFixture(t *testing.T, files map[string]string) fixture {
	t.Helper()
	folder := t.TempDir()
	f := fixture{t, filepath.Join(folder, "project"), filepath.Join(folder, "plugins")}
	require.NoError(t, os.Mkdir(f.project, 0o755))
	for name, text := range files {
		f.write(name, text)
	}
	return f
}

func (f fixture) write(name, text string) {
	f.t.Helper()
	file := filepath.Join(f.project, filepath.FromSlash(name))
	require.NoError(f.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(f.t, os.WriteFile(file, []byte(text), 0o640))
}

// plugin installs a plugin with the flag --size that runs a script. The variable REQUEST is the path of its request.
func (f fixture) plugin(name, script string) {
	f.t.Helper()
	folder := filepath.Join(f.root, name, "v1")
	require.NoError(f.t, os.MkdirAll(folder, 0o755))
	text := "#!/bin/sh\nREQUEST='" + f.requestFile(name) + "'\ncat > \"$REQUEST\"\n" +
		"if grep -q '\"command\":\"flags\"' \"$REQUEST\"; then\n" +
		"echo '{\"flags\": [{\"Name\": \"size\", \"Type\": \"int\"}]}'; exit\nfi\n" + script
	require.NoError(f.t, checkout.WriteProgram(filepath.Join(folder, name), text))
}

func (f fixture) requestFile(name string) string { return f.root + "-" + name + ".json" }

// answers installs a plugin with a fixed response.
func (f fixture) answers(name string, response v1alpha1.Response) {
	f.t.Helper()
	text, err := json.Marshal(response)
	require.NoError(f.t, err)
	f.plugin(name, "cat <<'END'\n"+string(text)+"\nEND\n")
}

// request returns the request that a plugin received.
func (f fixture) request(name string) (request v1alpha1.Request) {
	f.t.Helper()
	text, err := os.ReadFile(f.requestFile(name))
	require.NoError(f.t, err)
	require.NoError(f.t, json.Unmarshal(text, &request))
	return request
}

// run runs a chain, and commits it if it succeeds.
func (f fixture) run(command string, plugins ...string) (*host.Run, error) {
	f.t.Helper()
	run, err := host.Host{Root: f.root}.Run(context.Background(), host.Call{
		Project: f.project, Command: command, Plugins: plugins, Args: []string{"--size", "1"},
	})
	if err != nil {
		return nil, err
	}
	defer run.End()
	return run, run.Commit()
}

// files returns the contents of the regular files of the project.
func (f fixture) files() map[string]string {
	f.t.Helper()
	found := map[string]string{}
	require.NoError(f.t, filepath.WalkDir(f.project, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(name)
		relative, _ := filepath.Rel(f.project, name)
		found[filepath.ToSlash(relative)] = string(text)
		return err
	}))
	return found
}

const projectText = "layout:\n- one/v1\nversion: \"3\"\n"

func universe(pairs ...string) map[string]string {
	files := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		files[pairs[i]] = pairs[i+1]
	}
	return files
}

func TestInitWritesProjectFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.answers("one", v1alpha1.Response{Universe: universe("a.txt", "A")})
	f.answers("two", v1alpha1.Response{})
	run, err := f.run(v1alpha1.CommandInit, "one/v1", "two/v1")
	require.NoError(t, err)
	assert.Len(t, run.Changes, 2)
	files := f.files()
	assert.Equal(t, "A", files["a.txt"])
	assert.True(t, strings.HasSuffix(files["PROJECT"], "config.html\nlayout:\n- one/v1\n- two/v1\nversion: \"3\"\n"), files["PROJECT"])
	_, err = f.run(v1alpha1.CommandInit, "one/v1")
	require.ErrorContains(t, err, "is initialized already")
}

func TestPluginsSeeTextThatGitDoesNotIgnore(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]string{
		"PROJECT": projectText, "main.go": "package main", "sub/.gitignore": "*.log\n", "sub/a.log": "x", "sub/b": "ü €",
		".gitignore": "bin/\n", "bin/tool": "x", ".git/config": "x", "image.png": "\x89PNG\x00", "movie": "\x00" + strings.Repeat("x", 1<<20), "latin1": "\xe9", ".rplug/state": "x",
		"large": strings.Repeat("x", 1<<20+1), "empty": "",
	})
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(f.project, "link")))
	require.NoError(t, os.Symlink("/nowhere", filepath.Join(f.project, "dangling")))
	f.answers("one", v1alpha1.Response{})
	var unseen []string
	run, err := host.Host{Root: f.root, Unseen: func(paths []string) { unseen = paths }}.Run(t.Context(), host.Call{
		Project: f.project, Command: v1alpha1.CommandEdit, Args: []string{"--size", "1"},
	})
	require.NoError(t, err)
	defer run.End()
	assert.Empty(t, run.Changes)
	assert.Equal(t, []string{
		"dangling (not a regular file)", "large (larger than 1048576 bytes)", "latin1 (not text in UTF-8)",
		"link (not a regular file)",
	}, unseen, "binary files are expected to be hidden")
	request := f.request("one")
	assert.Equal(t, v1alpha1.Request{
		APIVersion: "v1alpha1", Command: "edit", Args: []string{"--size", "1"}, PluginChain: []string{"one/v1"},
		Config: map[string]any{"version": "3", "layout": []any{"one/v1"}},
		Universe: universe("PROJECT", projectText, "main.go", "package main", "sub/.gitignore", "*.log\n", "sub/b", "ü €",
			".gitignore", "bin/\n", "empty", ""),
	}, request)
}

func TestLaterPluginsSeeWhatEarlierOnesChanged(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]string{"PROJECT": projectText, "a": "1", "b": "1", "c": "1"})
	f.answers("one", v1alpha1.Response{Universe: universe("a", "2", "new", "x"), Deleted: []string{"b"}})
	f.answers("two", v1alpha1.Response{Universe: universe("a", "3", "b", "again"), Deleted: []string{"new"}})
	run, err := f.run(v1alpha1.CommandCreateAPI, "one/v1", "two/v1")
	require.NoError(t, err)
	assert.Equal(t, universe("PROJECT", projectText, "a", "2", "c", "1", "new", "x"), f.request("two").Universe)
	assert.Equal(t, universe("PROJECT", projectText, "a", "3", "b", "again", "c", "1"), f.files())
	assert.Len(t, run.Changes, 2)
}

func TestWhatIsNotChangedIsNotWritten(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]string{"PROJECT": projectText, "a": "1", "b": "1"})
	long := time.Now().Add(-time.Hour).Truncate(time.Second)
	require.NoError(t, os.Chtimes(filepath.Join(f.project, "a"), long, long))
	f.answers("one", v1alpha1.Response{Universe: universe("a", "1", "b", "2", "PROJECT", projectText)})
	run, err := f.run(v1alpha1.CommandEdit)
	require.NoError(t, err)
	require.Len(t, run.Changes, 1)
	info, err := os.Stat(filepath.Join(f.project, "a"))
	require.NoError(t, err)
	assert.Equal(t, long, info.ModTime().Truncate(time.Second))
	info, err = os.Stat(filepath.Join(f.project, "b"))
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o640), info.Mode().Perm())
}

func TestProjectFileChangedByAPlugin(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]string{"PROJECT": projectText})
	f.answers("one", v1alpha1.Response{Universe: universe("PROJECT", projectText+"domain: x.org\n")})
	f.answers("two", v1alpha1.Response{})
	_, err := f.run(v1alpha1.CommandEdit, "one/v1", "two/v1")
	require.NoError(t, err)
	assert.Equal(t, "x.org", f.request("two").Config["domain"])
	assert.Equal(t, projectText+"domain: x.org\n", f.files()["PROJECT"])
}

// If anything in a chain is refused, nothing is written.
func TestRefusedChainsWriteNothing(t *testing.T) {
	t.Parallel()
	before := map[string]string{"PROJECT": projectText, "a": "1", "image.png": "\x89PNG\x00"}
	for name, test := range map[string]struct {
		response v1alpha1.Response
		script   string
		command  string
		want     string
	}{
		"a failure":        {v1alpha1.Response{Error: true, ErrorMsgs: []string{"no"}}, "", "", "plugin two/v1: no"},
		"an exit code":     {v1alpha1.Response{}, "echo '{}'; exit 1", "", "plugin two/v1: must exit with 0 and report errors in its response"},
		"an escape":        {v1alpha1.Response{Universe: universe("../x", "y")}, "", "", `plugin two/v1: path must be a path below the project's folder, not "../x"`},
		"an absolute path": {v1alpha1.Response{Universe: universe("/tmp/x", "y")}, "", "", `not "/tmp/x"`},
		"through a link":   {v1alpha1.Response{Universe: universe("link/x", "y")}, "", "", "path escapes from parent"},
		"over a link":      {v1alpha1.Response{Universe: universe("link", "y")}, "", "", "link must be a regular file"},
		"a hook of git":    {v1alpha1.Response{Universe: universe(".git/hooks/pre-commit", "y")}, "", "", "must not be in a folder of git"},
		"binary":           {v1alpha1.Response{Universe: universe("image.png", "\ufffdPNG")}, "", "", "image.png must stay as it is"},
		"PROJECT is no YAML": {v1alpha1.Response{Universe: universe("PROJECT", "[")}, "", "",
			"PROJECT must be a project's configuration"},
		"a deleted escape":      {v1alpha1.Response{Deleted: []string{"../x"}}, "", "", "plugin two/v1: deleted path must be"},
		"deleted, but not here": {v1alpha1.Response{Deleted: []string{"z"}}, "", "", "z must not be deleted: there is no such file"},
		"deleted PROJECT":       {v1alpha1.Response{Deleted: []string{"PROJECT"}}, "", "", "PROJECT must not be deleted"},
		"written and deleted":   {v1alpha1.Response{Universe: universe("a", "2"), Deleted: []string{"a"}}, "", "", "a must not be both"},
		"another command":       {v1alpha1.Response{Command: "init"}, "", "", `command must be "edit" as in the request, not "init"`},
		"another version":       {v1alpha1.Response{APIVersion: "v2"}, "", "", `apiVersion must be "v1alpha1", not "v2"`},
		"a file as a folder":    {v1alpha1.Response{Universe: universe("a/b", "2")}, "", "", "not a directory"},
		"changed meanwhile":     {v1alpha1.Response{}, "echo other > OUTSIDE/a; echo '{\"universe\": {\"a\": \"2\"}}'", "", "a was changed meanwhile: call again"},
		"no such plugin":        {v1alpha1.Response{}, "none", "", `plugin "two/v1" is not in `},
		"an unknown command":    {v1alpha1.Response{}, "", "destroy", `the command must be one of init, create api, create webhook, edit, delete, not "destroy"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outside := t.TempDir()
			f := newFixture(t, before)
			require.NoError(t, os.Symlink(outside, filepath.Join(f.project, "link")))
			f.answers("one", v1alpha1.Response{Universe: universe("first", "x", "a", "1b")})
			switch test.script {
			case "none":
			case "":
				f.answers("two", test.response)
			default:
				f.plugin("two", strings.ReplaceAll(test.script, "OUTSIDE", f.project))
			}
			command := v1alpha1.CommandEdit
			if test.command != "" {
				command = test.command
			}
			_, err := f.run(command, "one/v1", "two/v1")
			require.ErrorContains(t, err, test.want)
			after := f.files()
			if name == "changed meanwhile" {
				assert.Equal(t, "other\n", after["a"])
				after["a"] = before["a"]
			}
			assert.Equal(t, before, after)
			left, err := os.ReadDir(outside)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

func TestResponseToInitMustNotHoldProjectFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.answers("one", v1alpha1.Response{Universe: universe("PROJECT", "version: \"3\"\n")})
	_, err := f.run(v1alpha1.CommandInit, "one/v1")
	require.EqualError(t, err, "plugin one/v1: PROJECT must not be in a response to init: the host writes it")
	assert.Empty(t, f.files())
}

func TestBrokenFoldersDisableNoOtherPlugin(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]string{"PROJECT": projectText})
	f.answers("one", v1alpha1.Response{})
	require.NoError(t, os.MkdirAll(filepath.Join(f.root, "bad", "1.0"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(f.root, ".DS_Store"), nil, 0o600))
	_, err := f.run(v1alpha1.CommandEdit)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(f.root, "plain.my.org", "v1"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(f.root, "plain.my.org", "v1", "plain.my.org"), nil, 0o600))
	for _, kubebuilder := range []string{"", "/usr/bin/kubebuilder"} {
		for key, want := range map[string]string{
			"bad/v1": "the version must be such as v1, v2-alpha or v1-beta, not \"1.0\"",
			"plain":  "must be executable: chmod +x ", "plain.my.org/v1": "must be executable: chmod +x ",
		} {
			_, err = host.Host{Root: f.root, Kubebuilder: kubebuilder}.Run(context.Background(), host.Call{
				Project: f.project, Command: v1alpha1.CommandEdit, Plugins: []string{key},
			})
			require.ErrorContains(t, err, "plugin \""+key+"\" cannot be called: ")
			require.ErrorContains(t, err, want)
		}
	}
}

// A plugin runs in a copy: files that it writes there are taken over with its response, or dropped with it.
func TestPluginsThatWriteThemselves(t *testing.T) {
	t.Parallel()
	before := map[string]string{"PROJECT": projectText, "a": "1\n", "b": "1\n", "c": "1\n"}
	f := newFixture(t, before)
	f.plugin("one", `echo direct > DIRECT.txt; mkdir -p sub; echo sub > sub/x; rm b; echo 2 > c; ln -s /etc link; printf '\377' > image
printf '%s' '{"universe": {"c": "3\n"}}'`)
	f.answers("two", v1alpha1.Response{})
	run, err := f.run(v1alpha1.CommandEdit, "one/v1", "two/v1")
	require.NoError(t, err)
	assert.Equal(t, universe("PROJECT", projectText, "a", "1\n", "c", "3\n", "DIRECT.txt", "direct\n", "sub/x", "sub\n"), f.files())
	assert.Equal(t, []string{
		"plugin one/v1 has made link, which is dropped: not a regular file",
		"plugin one/v1 has written DIRECT.txt itself: it must return the file in the universe",
		"plugin one/v1 has removed b itself: it must return the path in deleted",
		"plugin one/v1 has changed c itself, too: the file that it returns is written",
		"plugin one/v1 has written image itself, which is dropped: a response holds text in UTF-8",
		"plugin one/v1 has written sub/x itself: it must return the file in the universe",
	}, run.Written)
	assert.Equal(t, "direct\n", f.request("two").Universe["DIRECT.txt"], "later plugins see it")

	f = newFixture(t, before)
	f.plugin("one", `echo direct > DIRECT.txt; rm a; echo '{"error": true, "errorMsgs": ["no"]}'`)
	_, err = f.run(v1alpha1.CommandEdit, "one/v1")
	require.ErrorContains(t, err, "plugin one/v1: no")
	assert.Equal(t, before, f.files())
}

// Keys are resolved as kubebuilder does it, and PROJECT has them in full.
func TestShortNames(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{
		"good": "good/v1", "x/v1": "x.my.org/v1", "x.my": "x.my.org/v1", "x.my.org/v1": "x.my.org/v1", "y": "y/v1",
	} {
		f := newFixture(t, nil)
		for _, name := range []string{"good", "x.my.org", "y", "y.my.org", "xx"} {
			f.answers(name, v1alpha1.Response{})
		}
		_, err := f.run(v1alpha1.CommandInit, keys)
		require.NoError(t, err, keys)
		assert.Contains(t, f.files()["PROJECT"], "layout:\n- "+want+"\n", keys)
	}
	f := newFixture(t, nil)
	f.answers("x.my.org", v1alpha1.Response{})
	f.answers("x.other.org", v1alpha1.Response{})
	_, err := f.run(v1alpha1.CommandInit, "x")
	require.EqualError(t, err, `plugin "x" must be clear: it may be x.my.org/v1 or x.other.org/v1`)
	require.ErrorAs(t, err, new(host.CallError))
}

// A flag that no plugin of the chain has is refused before a plugin runs the command.
func TestUnknownFlags(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]string{"PROJECT": projectText})
	f.answers("one", v1alpha1.Response{Universe: universe("a", "1")})
	f.answers("two", v1alpha1.Response{})
	call := func(plugins []string, args ...string) error {
		run, err := host.Host{Root: f.root}.Run(context.Background(), host.Call{
			Project: f.project, Command: v1alpha1.CommandCreateAPI, Plugins: plugins, Args: args,
		})
		if err == nil {
			run.End()
		}
		return err
	}
	err := call([]string{"one/v1", "two/v1"}, "--kind", "A", "--domain", "example.org", "--size=1", "--", "--other")
	require.EqualError(t, err, "no plugin of the chain has a flag --domain for create api: they have --group, --kind, --size, --version")
	require.ErrorAs(t, err, new(host.CallError))
	require.NoError(t, call([]string{"one/v1"}, "--kind", "A", "--size", "1"))
	script := "#!/bin/sh\ncase $(cat) in *'\"command\":\"flags\"'*) exit 1 ;; esac\necho '{}'\n"
	require.NoError(t, os.MkdirAll(filepath.Join(f.root, "any", "v1"), 0o755))
	require.NoError(t, checkout.WriteProgram(filepath.Join(f.root, "any", "v1", "any"), script))
	require.NoError(t, call([]string{"one/v1", "any/v1"}, "--domain", "example.org"))
}

func TestPluginIsCalledOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]string{"PROJECT": projectText})
	calls := f.root + "-calls"
	f.plugin("one", fmt.Sprintf("echo call >> '%s'; echo '{}'", calls))
	_, err := f.run(v1alpha1.CommandEdit)
	require.NoError(t, err)
	text, err := os.ReadFile(calls)
	require.NoError(t, err)
	assert.Equal(t, "call\n", string(text), "and before only for its flags")
}

// The stderr of a plugin cannot control the terminal.
func TestStderrIsPlain(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]string{"PROJECT": projectText})
	f.plugin("one", "printf '\\033[2Jhello\\n::debug::x' >&2\necho '{}'\n")
	var printed strings.Builder
	run, err := host.Host{Root: f.root, Stderr: &printed}.Run(context.Background(), host.Call{
		Project: f.project, Command: v1alpha1.CommandEdit,
	})
	require.NoError(t, err)
	run.End()
	assert.Equal(t, `\x1b[2Jhello`+"\n"+`\x3a:debug::x`, printed.String())
}

// A plugin that writes a shared file from nothing, or drops fields from one that it rewrites, is reported.
func TestLost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, before, after, want string }{
		"from nothing": {"README.md", "# Shop\n\nText of others.\n", "# Sample\n", "plugin one/v1: none of the lines of README.md is kept"},
		"appended":     {"README.md", "# Shop\n\nText of others.\n", "# Shop\n\nText of others.\n\n# Sample\n", ""},
		"a new file":   {"new.md", "", "# Sample\n", ""},
		"one line":     {"VERSION", "1\n", "2\n", ""},
		"fields": {"config.yaml", "size: 1\nowner: me\ncommands: []\n", "size: 1\ncommands: [init]\n",
			"plugin one/v1: fields of config.yaml are dropped, which the plugin may not know: owner"},
		"JSON":        {"package.json", `{"a": 1,` + "\n" + `"b": 2}`, `{"a": 1,` + "\n" + `"c": 2}`, "are dropped, which the plugin may not know: b"},
		"kept fields": {"config.yaml", "size: 1\nowner: me\n", "owner: me\nsize: 2\n", ""},
	} {
		files := map[string]string{"PROJECT": projectText}
		if c.before != "" {
			files[c.file] = c.before
		}
		f := newFixture(t, files)
		f.answers("one", v1alpha1.Response{Universe: universe(c.file, c.after)})
		run, err := f.run(v1alpha1.CommandEdit)
		require.NoError(t, err)
		if c.want == "" {
			assert.Empty(t, run.Lost, name)
		} else {
			require.Len(t, run.Lost, 1, name)
			assert.Contains(t, run.Lost[0], c.want, name)
		}
	}
}
