// Package kubebuilder compares `rplug kubebuilder` with the real kubebuilder.
package kubebuilder

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/host"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// pluginVariable makes this program an external plugin with the behavior of its value.
const pluginVariable = "KUBEBUILDER_TEST_PLUGIN"

func TestMain(m *testing.M) {
	behaviour := os.Getenv(pluginVariable)
	if behaviour == "" {
		code := m.Run()
		_ = os.RemoveAll(built)
		os.Exit(code)
	}
	text, err := io.ReadAll(os.Stdin)
	var request v1alpha1.Request
	if err != nil || json.Unmarshal(text, &request) != nil {
		os.Exit(3)
	}
	response := v1alpha1.Response{APIVersion: request.APIVersion, Command: request.Command}
	if request.Command != v1alpha1.CommandFlags && request.Command != v1alpha1.CommandMetadata {
		behaviours[behaviour](request, &response)
	}
	if err := json.NewEncoder(os.Stdout).Encode(response); err != nil {
		os.Exit(3)
	}
}

var behaviours = map[string]func(request v1alpha1.Request, response *v1alpha1.Response){
	"echo": func(request v1alpha1.Request, response *v1alpha1.Response) { response.Universe = request.Universe },
	"escape": func(_ v1alpha1.Request, response *v1alpha1.Response) {
		response.Universe = map[string]string{"../escaped": "x"}
	},
	"write": func(_ v1alpha1.Request, response *v1alpha1.Response) {
		response.Universe = map[string]string{"written": "x"}
	},
	"fail": func(_ v1alpha1.Request, response *v1alpha1.Response) {
		response.Error, response.ErrorMsgs = true, []string{"it fails"}
	},
}

// releases are the programs of the kubebuilder releases to compare with.
var releases = []string{"kubebuilder", "kubebuilder45"}

// Kubebuilder has these faults on the disk; the host does the same work without them.
func TestFaultsOfKubebuilder(t *testing.T) {
	t.Parallel()
	const binary = "\x89PNG\r\n\x1a\n\x00\xff"
	faults := map[string]struct {
		chain   []string
		arrange func(t *testing.T, root string)
		// fault reports whether a folder with the project has the fault, after a run that may have failed.
		fault func(folder string, failed bool) bool
		// refused means that the host must refuse the chain.
		refused bool
	}{
		"a binary file is corrupted": {
			chain: []string{"echo/v1"},
			fault: func(folder string, _ bool) bool { return read(folder, "project/image.png") != binary },
		},
		"a file is written outside of the project": {
			chain: []string{"escape/v1"}, refused: true,
			fault: func(folder string, _ bool) bool { return read(folder, "escaped") != "" },
		},
		"files of a chain that fails are written": {
			chain: []string{"write/v1", "fail/v1"}, refused: true,
			fault: func(folder string, failed bool) bool { return failed && read(folder, "project/written") != "" },
		},
		"a dotfile ends the discovery of all plugins": {
			chain: []string{"write/v1"},
			arrange: func(t *testing.T, root string) {
				t.Helper()
				require.NoError(t, os.WriteFile(filepath.Join(root, "write", "v1", ".DS_Store"), nil, 0o600))
			},
			fault: func(folder string, failed bool) bool { return failed || read(folder, "project/written") == "" },
		},
	}
	for _, release := range releases {
		for name, fault := range faults {
			t.Run(release+"/"+name, func(t *testing.T) {
				t.Parallel()
				program := checkout.Tool(t, release)
				for _, isReal := range []bool{true, false} {
					folder := t.TempDir()
					project, root := filepath.Join(folder, "project"), filepath.Join(t.TempDir(), "plugins")
					require.NoError(t, os.Mkdir(project, 0o755))
					require.NoError(t, os.WriteFile(filepath.Join(project, "image.png"), []byte(binary), 0o600))
					for behaviour := range behaviours {
						install(t, root, behaviour)
					}
					if fault.arrange != nil {
						fault.arrange(t, root)
					}
					if isReal {
						err := initWith(program, project, root, fault.chain)
						assert.True(t, fault.fault(folder, err != nil), "%s has the fault: %v", release, err)
						continue
					}
					err := initWithHost(project, root, fault.chain)
					assert.Equal(t, fault.refused, err != nil, "%v", err)
					assert.False(t, fault.fault(folder, err != nil), "the host does not have the fault")
				}
			})
		}
	}
}

func read(folder, name string) string {
	text, _ := os.ReadFile(filepath.Join(folder, name))
	return string(text)
}

// install installs this program as a plugin.
func install(t *testing.T, root, behaviour string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	folder := filepath.Join(root, behaviour, "v1")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	script := "#!/bin/sh\n" + pluginVariable + "=" + behaviour + " exec '" + self + "'\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, behaviour), []byte(script), 0o755))
}

// initWith runs the real kubebuilder.
func initWith(program, project, root string, chain []string) error {
	plugins := ""
	for _, key := range chain {
		plugins += "," + key
	}
	command := exec.Command(program, "init", "--plugins", plugins[1:])
	command.Dir, command.Env = project, append(os.Environ(), "EXTERNAL_PLUGINS_PATH="+root)
	return command.Run()
}

func initWithHost(project, root string, chain []string) error {
	run, err := host.Host{Root: root}.Run(context.Background(), host.Call{
		Project: project, Command: v1alpha1.CommandInit, Plugins: chain,
	})
	if err != nil {
		return err
	}
	defer run.End()
	return run.Commit()
}
