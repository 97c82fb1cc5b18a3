//go:build e2e

package plugintest_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/commands/local/localrun/container"
	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
	"github.com/resource-plugins/krm-functions/commands/local/plugintest"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/docker"
)

// fixtureImage has this machine's static busybox and bash.
const fixtureImage = "rplug.test/fixture:1"

// A fixture in a container is reached by its name, and none of its objects remain.
func TestSuite_containers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := docker.Shell("docker", fixtureImage, folder); err != nil {
		checkout.LeaveOut(t, "docker cannot run containers: %.200v", err)
	}
	suite := containerSuite(t)
	self, err := os.Executable()
	require.NoError(t, err)
	var networks []string
	report, err := suite.Run(t.Context(), plugintest.Machine{
		Containers: "docker", Networked: true, Environment: os.Environ(),
		Engine: func(ctx context.Context, network string) (localrun.Engine, error) {
			networks = append(networks, network)
			return container.New(ctx, "docker", container.Options{
				Environment: os.Environ(), Network: network, Folder: folder,
				Runner: container.Runner{File: self, Arguments: []string{process.RunnerArgument}},
			})
		},
	})
	require.NoError(t, err)
	var passed []string
	for _, check := range report.Tests[0].Checks {
		assert.NotEqual(t, plugintest.Failed, check.Result, "%s: %v %v", check.ID, check.Messages, check.Logs)
		if check.Result == plugintest.Passed {
			passed = append(passed, check.ID)
		}
	}
	assert.Equal(t, []string{
		"inputs-read", "outputs-read", "inputs-declared", "create", "create-check", "create-twice", "delete", "processes-end",
	}, passed)
	require.Len(t, networks, 1)
	for _, list := range [][]string{{"ps", "--all", "--format", "{{.Names}}"}, {"network", "ls", "--format", "{{.Name}}"}} {
		out, err := exec.Command("docker", list...).Output()
		require.NoError(t, err)
		assert.NotContains(t, string(out), networks[0])
	}
}

// containerSuite reads the documents of testdata/container.
func containerSuite(t *testing.T) *plugintest.Suite {
	t.Helper()
	list := krm.NewList()
	for _, name := range []string{"plugin.yaml", "test.yaml"} {
		text, err := os.ReadFile(filepath.Join("testdata", "container", name))
		require.NoError(t, err)
		read, err := load.Read([]string{load.Stdin}, load.Options{Input: strings.NewReader(strings.ReplaceAll(string(text), "IMAGE", fixtureImage))})
		require.NoError(t, err)
		for _, document := range read.Documents {
			list.Append(document.Item)
		}
	}
	suite, err := plugintest.New(list, plugintest.Options{Chain: build.New()})
	require.NoError(t, err)
	require.NotNil(t, suite, "%v", list.Results())
	return suite
}
