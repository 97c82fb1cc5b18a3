package host_test

import (
	"context"
	"os"
	"path/filepath"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/host"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// kubebuilder returns a program that has the flag --resource, and writes its arguments into go.txt.
func (f fixture) kubebuilder() string {
	program := f.root + "-kubebuilder"
	require.NoError(f.t, checkout.WriteProgram(program, `#!/bin/sh
case "$*" in *--help) printf 'Flags:\n  --resource bool\n'; exit ;; esac
echo "$*" > go.txt
[ -e PROJECT ] || printf 'layout:\n- go.kubebuilder.io/v4\nversion: "3"\n' > PROJECT
`))
	return program
}

// specificationOfChains is about chains of plugins, and the configuration of projects.
var specificationOfChains = map[string]func(f fixture){
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
	"communication: plugins run in the order of the chain, each with the files of those in front of it": func(f fixture) {
		f.answers("one", v1alpha1.Response{Universe: universe("made", "x", "a.txt", "2\n")})
		f.answers("two", v1alpha1.Response{Universe: universe("a.txt", "3\n")})
		_, err := f.run(v1alpha1.CommandEdit, "one/v1", "two/v1")
		require.NoError(f.t, err)
		assert.Equal(f.t, "x", f.request("two").Universe["made"])
		assert.Equal(f.t, "2\n", f.request("two").Universe["a.txt"])
		assert.Equal(f.t, "3\n", f.files()["a.txt"])
	},
	"goals: plugins of kubebuilder and external ones make files in one chain": func(f fixture) {
		f.answers("one", v1alpha1.Response{Universe: universe("made", "x")})
		run, err := host.Host{Root: f.root, Kubebuilder: f.kubebuilder()}.Run(context.Background(), host.Call{
			Project: f.project, Command: v1alpha1.CommandCreateAPI, Plugins: []string{"go/v4", "one/v1"},
			Args: []string{"--size", "1", "--resource"},
		})
		require.NoError(f.t, err)
		defer run.End()
		require.NoError(f.t, run.Commit())
		assert.Equal(f.t, "create api --plugins go/v4 --resource\n", f.request("one").Universe["go.txt"], "and the flags that it knows")
		assert.Equal(f.t, []string{"go/v4", "one/v1"}, f.request("one").PluginChain)
		assert.Equal(f.t, "create api --plugins go/v4 --resource\n", f.files()["go.txt"])
		assert.Equal(f.t, "x", f.files()["made"])
	},
	"goals: --help shows the help of each plugin, and runs none": func(f fixture) {
		f.plugin("one", `case $(cat "$REQUEST") in *'"metadata"'*) echo '{"metadata": {"Description": "makes one", "Examples": "x"}}' ;; *) touch made ;; esac`)
		call := host.Call{
			Project: f.project, Command: v1alpha1.CommandEdit, Plugins: []string{"go/v4", "one/v1"}, Args: []string{"--help"},
		}
		assert.True(f.t, call.AsksForHelp())
		help, err := host.Host{Root: f.root, Kubebuilder: f.kubebuilder()}.Help(context.Background(), call)
		require.NoError(f.t, err)
		assert.Equal(f.t, []host.Help{
			{Keys: "go/v4", Text: "Flags:\n  --resource bool\n"},
			{
				Keys: "one/v1", Metadata: v1alpha1.Metadata{Description: "makes one", Examples: "x"},
				Flags: []v1alpha1.Flag{{Name: "size", Type: "int"}},
			},
		}, help)
		assert.NotContains(f.t, f.files(), "made")
	},
	"examples: --plugins names the chain of each subcommand, and the layout stays": func(f fixture) {
		f.answers("one", v1alpha1.Response{Universe: universe("made", "one")})
		f.answers("two", v1alpha1.Response{Universe: universe("made", "two")})
		for _, command := range []string{v1alpha1.CommandCreateAPI, v1alpha1.CommandCreateWebhook, v1alpha1.CommandEdit} {
			_, err := f.run(command, "two/v1")
			require.NoError(f.t, err)
			assert.Equal(f.t, command, f.request("two").Command)
			assert.Equal(f.t, "two", f.files()["made"])
			assert.Equal(f.t, projectText, f.files()["PROJECT"])
		}
		assert.NoFileExists(f.t, f.requestFile("one"))
	},
	"configuration: what plugins have stored in PROJECT is in the request, and stays": func(f fixture) {
		text := projectText + "plugins:\n  one/v1:\n    resources:\n    - kind: Captain\n"
		f.write("PROJECT", text)
		f.answers("one", v1alpha1.Response{Universe: universe("made", "x")})
		_, err := f.run(v1alpha1.CommandEdit)
		require.NoError(f.t, err)
		assert.Equal(f.t, map[string]any{"one/v1": map[string]any{"resources": []any{map[string]any{"kind": "Captain"}}}},
			f.request("one").Config["plugins"])
		assert.Equal(f.t, text, f.files()["PROJECT"])
	},
	"configuration: the layout of a new project has plugins of kubebuilder and external ones": func(f fixture) {
		require.NoError(f.t, os.Remove(filepath.Join(f.project, "PROJECT")))
		f.answers("one", v1alpha1.Response{})
		run, err := host.Host{Root: f.root, Kubebuilder: f.kubebuilder()}.Run(context.Background(), host.Call{
			Project: f.project, Command: v1alpha1.CommandInit, Plugins: []string{"go/v4", "one/v1"},
		})
		require.NoError(f.t, err)
		defer run.End()
		require.NoError(f.t, run.Commit())
		assert.Contains(f.t, f.files()["PROJECT"], "layout:\n- go.kubebuilder.io/v4\n- one/v1\n")
	},
}
