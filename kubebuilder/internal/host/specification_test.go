package host_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/harness"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/host"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// TestSpecification has a test for each statement of the design about hosts and plugins, under its section:
// https://github.com/kubernetes-sigs/kubebuilder/blob/master/designs/extensible-cli-and-scaffolding-plugins-phase-2.md
// The statements that it repeats are tested once. Those about plugins are tested with our plugin; the check of the harness
// that finds a plugin which breaks one is in checksOfStatements.
//
// Where releases differ from the design, they are followed:
//   - errorMsgs is a list, not the text error_msg
//   - a qualified name is one folder, x.my.domain/v1, not my/domain/x/v1
//   - `flags` and `metadata` are separate commands, so --help is not sent
//   - the universe of the first plugin has the files of the project, and is empty only for an empty folder
//   - args have no boilerplate of a license
//   - edit is a subcommand, too
//
// Not tested are statements about kubebuilder as a library, about alternatives that were not chosen, and about the future.
func TestSpecification(t *testing.T) {
	t.Parallel()
	for _, section := range []map[string]func(fixture){
		specificationOfDiscovery, specificationOfChains, specificationOfMessages, specificationOfFailures,
	} {
		for statement, check := range section {
			t.Run(statement, func(t *testing.T) {
				t.Parallel()
				check(newFixture(t, map[string]string{"PROJECT": projectText, "a.txt": "1\n"}))
			})
		}
	}
}

// The harness checks external plugins for the statements of the design about plugins.
func TestSpecification_checksOfPlugins(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, check := range harness.Checks {
		ids = append(ids, check.ID)
	}
	for statement, id := range checksOfStatements {
		assert.Contains(t, ids, id)
		_, isTested := specificationOfMessages[statement]
		_, isFailure := specificationOfFailures[statement]
		assert.True(t, isTested || isFailure, statement)
	}
}

var checksOfStatements = map[string]string{
	"communication: a plugin refuses a command that it does not support, and does nothing else":  "unknown-command",
	"communication: the response has the command that the plugin has run":                        "echo",
	"communication: a plugin returns the files that it has changed":                              "changed-only",
	"communication: the help of a plugin is in the metadata of its response":                     "metadata",
	"communication: request and response have an apiVersion, v1alpha1":                           "echo",
	"questions: each plugin of a chain gets the same flags, and an unrecognized one is no error": "unknown-flag",
	"questions: the flags of a plugin come from the plugin":                                      "flags",
}

// specificationOfDiscovery is about the folders of plugins, and the files that a host runs.
var specificationOfDiscovery = map[string]func(f fixture){
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
	"stories: users give the path of external plugins": func(f fixture) {
		root, err := external.Root("linux", func(name string) string {
			return map[string]string{"EXTERNAL_PLUGINS_PATH": "/given", "HOME": "/h"}[name]
		})
		require.NoError(f.t, err)
		assert.Equal(f.t, "/given", root)
	},
	"discovery: each version of a plugin has a folder of its own, and a key selects one": func(f fixture) {
		f.answers("one", v1alpha1.Response{Universe: universe("version", "1")})
		other := filepath.Join(f.root, "one", "v2-alpha")
		require.NoError(f.t, os.MkdirAll(other, 0o755))
		require.NoError(f.t, checkout.WriteProgram(filepath.Join(other, "one"),
			"#!/bin/sh\ncase $(cat) in *flags*) echo '{\"flags\": [{\"Name\": \"size\"}]}' ;; *) echo '{\"universe\": {\"version\": \"2\"}}' ;; esac\n"))
		for key, want := range map[string]string{"one/v1": "1", "one/v2-alpha": "2"} {
			_, err := f.run(v1alpha1.CommandEdit, key)
			require.NoError(f.t, err)
			assert.Equal(f.t, want, f.files()["version"])
		}
	},
	"discovery: names and versions are names of folders": func(f fixture) {
		for _, folder := range []string{"Two Words/v1", "two/one", "two/v1/x"} {
			require.NoError(f.t, os.MkdirAll(filepath.Join(f.root, filepath.FromSlash(folder)), 0o755))
			require.NoError(f.t, checkout.WriteProgram(filepath.Join(f.root, filepath.FromSlash(folder), "Two Words"), "#!/bin/sh\n"))
		}
		found, broken, err := external.Discover(f.root)
		require.NoError(f.t, err)
		assert.Empty(f.t, found)
		assert.NotEmpty(f.t, broken)
	},
	"non-goals: a plugin that is not on this machine is not searched elsewhere": func(f fixture) {
		_, err := f.run(v1alpha1.CommandEdit, "example.org/v1")
		require.ErrorContains(f.t, err, `plugin "example.org/v1" is not in `)
	},
	"non-goals: there are no subcommands but those of kubebuilder": func(f fixture) {
		f.answers("one", v1alpha1.Response{Universe: universe("made", "x")})
		_, err := f.run("deploy", "one/v1")
		require.ErrorAs(f.t, err, new(host.CallError))
		assert.NotContains(f.t, f.files(), "made")
	},
}
