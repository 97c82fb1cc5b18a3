package host_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/host"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/plugin"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// serve returns the response of our plugin to a request.
func (f fixture) serve(request string) *v1alpha1.Response {
	f.t.Helper()
	var out, notes strings.Builder
	require.Zero(f.t, plugin.Serve(strings.NewReader(request), &out, &notes))
	response, err := external.Decode([]byte(out.String()))
	require.NoError(f.t, err)
	return response
}

// specificationOfMessages is about requests and responses.
var specificationOfMessages = map[string]func(f fixture){
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
	"communication: the response is JSON on stdout, and its files are written to the disk": func(f fixture) {
		f.answers("one", v1alpha1.Response{Universe: universe("LICENSE", "Apache 2.0 License\n", "x/main.py", "...")})
		_, err := f.run(v1alpha1.CommandEdit)
		require.NoError(f.t, err)
		assert.Equal(f.t, "Apache 2.0 License\n", f.files()["LICENSE"])
		assert.Equal(f.t, "...", f.files()["x/main.py"])
	},
	"communication: a plugin refuses a command that it does not support, and does nothing else": func(f fixture) {
		response := f.serve(`{"apiVersion":"v1alpha1","command":"deploy"}`)
		assert.True(f.t, response.Error)
		assert.Equal(f.t, "deploy", response.Command)
		assert.Empty(f.t, response.Universe)
	},
	"communication: the help of a plugin is in the metadata of its response": func(f fixture) {
		response := f.serve(`{"command":"metadata","args":["--init"]}`)
		assert.NotEmpty(f.t, response.Metadata.Description)
		assert.NotEmpty(f.t, response.Metadata.Examples)
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
		response := f.serve(`{"command":"init","args":["--size","1"]}`)
		assert.False(f.t, response.Error, "%q", response.ErrorMsgs)
	},
	"questions: plugins get the whole environment": func(f fixture) {
		f.plugin("one", "env -0 > '"+f.root+"-env'; echo '{}'")
		_, err := f.run(v1alpha1.CommandEdit)
		require.NoError(f.t, err)
		text, err := os.ReadFile(f.root + "-env")
		require.NoError(f.t, err)
		got := strings.Split(string(text), "\x00")
		for _, variable := range os.Environ() {
			name, _, _ := strings.Cut(variable, "=")
			if slices.Contains([]string{"PWD", "OLDPWD", "SHLVL", "_"}, name) { // a shell sets them
				continue
			}
			assert.Contains(f.t, got, variable)
		}
	},
	"communication: request and response have an apiVersion, v1alpha1": func(f fixture) {
		f.answers("one", v1alpha1.Response{APIVersion: "v1beta1"})
		_, err := f.run(v1alpha1.CommandEdit)
		require.ErrorContains(f.t, err, `apiVersion must be "v1alpha1", not "v1beta1"`)
	},
	"streams: a plugin gets a request on stdin, and no arguments": func(f fixture) {
		f.plugin("one", `printf '{"universe": {"arguments": "%s"}}' "$#"`)
		_, err := f.run(v1alpha1.CommandEdit)
		require.NoError(f.t, err)
		assert.Equal(f.t, "0", f.files()["arguments"])
	},
	"communication: the working directory is a folder with the files of the project": func(f fixture) {
		f.plugin("one", `printf '{"universe": {"directory": "%s %s"}}' "$(basename "$PWD")" "$(cat a.txt)"`)
		_, err := f.run(v1alpha1.CommandEdit)
		require.NoError(f.t, err)
		assert.Equal(f.t, "project 1", f.files()["directory"])
	},
	"communication: the request is one JSON object with the keys of the design": func(f fixture) {
		f.answers("one", v1alpha1.Response{})
		_, err := f.run(v1alpha1.CommandEdit)
		require.NoError(f.t, err)
		text, err := os.ReadFile(f.requestFile("one"))
		require.NoError(f.t, err)
		var keys map[string]any
		require.NoError(f.t, json.Unmarshal(text, &keys))
		for _, key := range []string{"command", "apiVersion", "args", "universe"} {
			assert.Contains(f.t, keys, key)
		}
	},
	"examples: init of a new project has its flags and an empty universe": func(f fixture) {
		f.project = filepath.Join(f.t.TempDir(), "new")
		require.NoError(f.t, os.Mkdir(f.project, 0o755))
		f.answers("one", v1alpha1.Response{Universe: universe("LICENSE", "Apache 2.0 License\n", "main.py", "...")})
		_, err := f.run(v1alpha1.CommandInit, "one/v1")
		require.NoError(f.t, err)
		got := f.request("one")
		assert.Equal(f.t, v1alpha1.CommandInit, got.Command)
		assert.Equal(f.t, []string{"--size", "1"}, got.Args)
		assert.NotNil(f.t, got.Universe)
		assert.Empty(f.t, got.Universe)
		assert.Equal(f.t, "Apache 2.0 License\n", f.files()["LICENSE"])
	},
	"communication: the response has the command that the plugin has run": func(f fixture) {
		response := f.serve(`{"apiVersion":"v1alpha1","command":"init","universe":{}}`)
		assert.Equal(f.t, v1alpha1.CommandInit, response.Command)
		f.answers("one", v1alpha1.Response{Command: v1alpha1.CommandInit})
		_, err := f.run(v1alpha1.CommandEdit)
		require.ErrorContains(f.t, err, `command must be "edit" as in the request, not "init"`)
	},
	"communication: a plugin returns the files that it has changed": func(f fixture) {
		response := f.serve(`{"apiVersion":"v1alpha1","command":"init","universe":{"README.md":"of others\n"}}`)
		assert.False(f.t, response.Error)
		assert.NotEmpty(f.t, response.Universe)
		assert.NotContains(f.t, response.Universe, "README.md")
	},
	"questions: the flags of a plugin come from the plugin": func(f fixture) {
		var names []string
		for _, flag := range f.serve(`{"command":"flags","args":["--api"]}`).Flags {
			names = append(names, flag.Name)
		}
		assert.Contains(f.t, names, "params")
		f.answers("one", v1alpha1.Response{})
		_, err := f.run(v1alpha1.CommandEdit) // with --size, which the flags of the plugin have
		require.NoError(f.t, err)
	},
}

// specificationOfFailures is about errors.
var specificationOfFailures = map[string]func(f fixture){
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
	"questions: errors in flags are in the response": func(f fixture) {
		response := f.serve(`{"command":"init","args":["--make=perhaps"]}`)
		assert.True(f.t, response.Error)
		require.Len(f.t, response.ErrorMsgs, 1)
		assert.Contains(f.t, response.ErrorMsgs[0], "--make")
	},
	"failures: an error in the response is one, with or without its reasons": func(f fixture) {
		before := f.files()
		f.answers("one", v1alpha1.Response{Error: true, Universe: universe("made", "x")})
		_, err := f.run(v1alpha1.CommandEdit)
		require.ErrorContains(f.t, err, "plugin one/v1 failed without a message")
		assert.Equal(f.t, before, f.files())
	},
	"failures: a response that is no JSON fails the chain": func(f fixture) {
		before := f.files()
		f.plugin("one", "echo done")
		_, err := f.run(v1alpha1.CommandEdit)
		require.ErrorContains(f.t, err, "the response must be one JSON object")
		assert.Equal(f.t, before, f.files())
	},
}
