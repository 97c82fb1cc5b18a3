package host_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/host"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/plugin"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// TestSpecification has a test for each statement of the design about hosts and plugins, under its section:
// https://github.com/kubernetes-sigs/kubebuilder/blob/master/designs/extensible-cli-and-scaffolding-plugins-phase-2.md
//
// Where releases differ from the design, they are followed: errorMsgs is a list, not the text error_msg; a qualified name
// is one folder, x.my.domain/v1, not my/domain/x/v1; `flags` and `metadata` are separate commands, so --help is not sent.
func TestSpecification(t *testing.T) {
	t.Parallel()
	for statement, check := range specification {
		t.Run(statement, func(t *testing.T) {
			t.Parallel()
			check(newFixture(t, map[string]string{"PROJECT": projectText, "a.txt": "1\n"}))
		})
	}
}

var specification = map[string]func(f fixture){
	"discovery: the folder is kubebuilder/plugins below XDG_CONFIG_HOME, by default HOME/.config": func(f fixture) {
		for home, want := range map[string]string{"/x": "/x/kubebuilder/plugins", "": "/h/.config/kubebuilder/plugins"} {
			root, err := external.Root("linux", func(name string) string {
				return map[string]string{"XDG_CONFIG_HOME": home, "HOME": "/h"}[name]
			})
			require.NoError(f.t, err)
			assert.Equal(f.t, filepath.FromSlash(want), root)
		}
	},
	"discovery: on macOS the folder is in Library/Application Support": func(f fixture) {
		root, err := external.Root("darwin", func(name string) string { return map[string]string{"HOME": "/h"}[name] })
		require.NoError(f.t, err)
		assert.Equal(f.t, filepath.FromSlash("/h/Library/Application Support/kubebuilder/plugins"), root)
	},
	"discovery: the program of NAME/VERSION is in a folder NAME/VERSION and has the name of the plugin": func(f fixture) {
		f.answers("one", v1alpha1.Response{})
		found, broken, err := external.Discover(f.root)
		require.NoError(f.t, err)
		require.Empty(f.t, broken)
		assert.Equal(f.t, []external.Plugin{{Name: "one", Version: "v1", Path: filepath.Join(f.root, "one", "v1", "one")}}, found)
	},
	"configuration: the layout in PROJECT is the chain if no plugins are given": func(f fixture) {
		f.answers("one", v1alpha1.Response{Universe: universe("made", "x")})
		_, err := f.run(v1alpha1.CommandEdit)
		require.NoError(f.t, err)
		assert.Equal(f.t, "x", f.files()["made"])
	},
	"configuration: init writes external plugins into the layout": func(f fixture) {
		require.NoError(f.t, os.Remove(filepath.Join(f.project, "PROJECT")))
		f.answers("one", v1alpha1.Response{})
		_, err := f.run(v1alpha1.CommandInit, "one/v1")
		require.NoError(f.t, err)
		assert.Contains(f.t, f.files()["PROJECT"], "layout:\n- one/v1\n")
	},
	"communication: the request has apiVersion, command, the raw flags and the files, on stdin": func(f fixture) {
		f.answers("one", v1alpha1.Response{})
		_, err := f.run(v1alpha1.CommandCreateAPI)
		require.NoError(f.t, err)
		got := f.request("one")
		assert.Equal(f.t, "v1alpha1", got.APIVersion)
		assert.Equal(f.t, v1alpha1.CommandCreateAPI, got.Command)
		assert.Equal(f.t, []string{"--size", "1"}, got.Args)
		assert.Equal(f.t, "1\n", got.Universe["a.txt"])
	},
	"communication: plugins run in the order of the chain, each with the files of those in front of it": func(f fixture) {
		f.answers("one", v1alpha1.Response{Universe: universe("made", "x", "a.txt", "2\n")})
		f.answers("two", v1alpha1.Response{Universe: universe("a.txt", "3\n")})
		_, err := f.run(v1alpha1.CommandEdit, "one/v1", "two/v1")
		require.NoError(f.t, err)
		assert.Equal(f.t, "x", f.request("two").Universe["made"])
		assert.Equal(f.t, "2\n", f.request("two").Universe["a.txt"])
		assert.Equal(f.t, "3\n", f.files()["a.txt"])
	},
	"communication: the response is JSON on stdout, and its files are written to the disk": func(f fixture) {
		f.answers("one", v1alpha1.Response{Universe: universe("LICENSE", "Apache 2.0 License\n", "x/main.py", "...")})
		_, err := f.run(v1alpha1.CommandEdit)
		require.NoError(f.t, err)
		assert.Equal(f.t, "Apache 2.0 License\n", f.files()["LICENSE"])
		assert.Equal(f.t, "...", f.files()["x/main.py"])
	},
	"communication: a plugin refuses a command that it does not support, and does nothing else": func(f fixture) {
		var out strings.Builder
		require.Zero(f.t, plugin.Serve(strings.NewReader(`{"apiVersion":"v1alpha1","command":"deploy"}`), &out, &out))
		response, err := external.Decode([]byte(out.String()))
		require.NoError(f.t, err)
		assert.True(f.t, response.Error)
		assert.Equal(f.t, "deploy", response.Command)
		assert.Empty(f.t, response.Universe)
	},
	"communication: the help of a plugin is in the metadata of its response": func(f fixture) {
		var out strings.Builder
		require.Zero(f.t, plugin.Serve(strings.NewReader(`{"command":"metadata","args":["--init"]}`), &out, &out))
		response, err := external.Decode([]byte(out.String()))
		require.NoError(f.t, err)
		assert.NotEmpty(f.t, response.Metadata.Description)
		assert.NotEmpty(f.t, response.Metadata.Examples)
	},
	"failures: if a plugin fails, later ones are not called and nothing is written": func(f fixture) {
		before := f.files()
		f.answers("one", v1alpha1.Response{Universe: universe("made", "x")})
		f.answers("two", v1alpha1.Response{Error: true, ErrorMsgs: []string{"no", "not here"}})
		f.plugin("three", "touch '"+f.root+"-called'; echo '{}'")
		_, err := f.run(v1alpha1.CommandEdit, "one/v1", "two/v1", "three/v1")
		require.EqualError(f.t, err, "plugin two/v1: no\nplugin two/v1: not here")
		assert.Equal(f.t, before, f.files())
		assert.NoFileExists(f.t, f.root+"-called")
	},
	"failures: a program that ends with another code than 0 fails the chain": func(f fixture) {
		f.plugin("one", "echo '{}'; exit 3")
		_, err := f.run(v1alpha1.CommandEdit)
		require.ErrorContains(f.t, err, "exit status 3")
	},
	"streams: stderr is passed through": func(f fixture) {
		f.plugin("one", "echo hello >&2; echo '{}'")
		var printed strings.Builder
		run, err := host.Host{Root: f.root, Stderr: &printed}.Run(context.Background(), host.Call{
			Project: f.project, Command: v1alpha1.CommandEdit,
		})
		require.NoError(f.t, err)
		run.End()
		assert.Equal(f.t, "hello\n", printed.String())
	},
	"questions: each plugin of a chain gets the same flags, and an unrecognized one is no error": func(f fixture) {
		f.answers("one", v1alpha1.Response{})
		f.answers("two", v1alpha1.Response{})
		_, err := f.run(v1alpha1.CommandEdit, "one/v1", "two/v1")
		require.NoError(f.t, err)
		assert.Equal(f.t, f.request("one").Args, f.request("two").Args)
		var out, notes strings.Builder
		require.Zero(f.t, plugin.Serve(strings.NewReader(`{"command":"init","args":["--size","1"]}`), &out, &notes))
		response, err := external.Decode([]byte(out.String()))
		require.NoError(f.t, err)
		assert.False(f.t, response.Error, "%q", response.ErrorMsgs)
	},
	"questions: errors in flags are in the response": func(f fixture) {
		var out strings.Builder
		require.Zero(f.t, plugin.Serve(strings.NewReader(`{"command":"init","args":["--make=perhaps"]}`), &out, &out))
		response, err := external.Decode([]byte(out.String()))
		require.NoError(f.t, err)
		assert.True(f.t, response.Error)
		require.Len(f.t, response.ErrorMsgs, 1)
		assert.Contains(f.t, response.ErrorMsgs[0], "--make")
	},
	"questions: plugins get the whole environment": func(f fixture) {
		f.plugin("one", `printf '{"universe": {"path": "%s"}}' "$PATH"`)
		_, err := f.run(v1alpha1.CommandEdit)
		require.NoError(f.t, err)
		assert.Equal(f.t, os.Getenv("PATH"), f.files()["path"])
	},
	"questions: request and response have an apiVersion, v1alpha1": func(f fixture) {
		f.answers("one", v1alpha1.Response{APIVersion: "v1beta1"})
		_, err := f.run(v1alpha1.CommandEdit)
		require.ErrorContains(f.t, err, `apiVersion must be "v1alpha1", not "v1beta1"`)
	},
}
