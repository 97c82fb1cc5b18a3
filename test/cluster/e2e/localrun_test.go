//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/local/localrun/container"
	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/agreement"
	"github.com/resource-plugins/krm-functions/test/framework/docker"
)

// Generated plugins have the same results on a node, in processes and in containers of this machine: the same steps succeed,
// with the same outputs, exit codes and messages.
func TestLocalRunAgrees(t *testing.T) {
	s := newNamespace(t)
	plugins := agreement.Plugins(agreement.Kinds(), "busybox", s.name)
	var stream []string
	for _, plugin := range plugins {
		stream = append(stream, function(t, "render-phase", plugin.Documents, append(longStartTimeout, "-")...))
	}
	s.apply(strings.Join(stream, "\n---\n"))

	processes, err := process.New(process.Options{})
	require.NoError(t, err)
	isIsolated, reason := processes.IsIsolated()
	require.True(t, isIsolated, "%v", reason)
	inProcesses, err := agreement.RunAll(t.Context(), processes, plugins, t.TempDir)
	require.NoError(t, err)

	inContainers, err := agreement.RunAll(t.Context(), dockerEngine(t), plugins, t.TempDir)
	require.NoError(t, err)

	states, pods, secrets := s.ended(), s.mainEnds(), s.outputs()
	for i, plugin := range plugins {
		onNode := map[string]agreement.End{}
		for _, step := range plugin.Steps {
			key := plugin.Name + "/" + step
			end := agreement.End{Succeeded: states[key] == "Complete", Outputs: map[string]string{}}
			if !end.Succeeded {
				end.ExitCode, end.Message = pods[key].ExitCode, pods[key].Message
			}
			for name, value := range secrets[key].Data {
				end.Outputs[name] = agreement.Sum(value)
			}
			onNode[step] = end
		}
		assert.Equal(t, onNode, inProcesses[i], "%s in processes", plugin.Name)
		assert.Equal(t, onNode, inContainers[i], "%s in containers", plugin.Name)
	}
}

// mainEnds returns the result of the container that explains the failure of each step: the input manager, or else main.
func (s *testNamespace) mainEnds() map[string]agreement.End {
	s.t.Helper()
	pods, err := list[pod](s.name, "pods")
	require.NoError(s.t, err)
	ends := map[string]agreement.End{}
	for _, one := range pods {
		for _, container := range append(one.Status.ContainerStatuses, one.Status.InitContainerStatuses...) {
			end := container.State.Terminated
			if end == nil || end.ExitCode == 0 || end.ExitCode == contract.ExitWaited || container.Name == contract.OutputManager {
				continue
			}
			message := agreement.Message(strings.Join(strings.Fields(end.Message), " "))
			if message == "" { // rplug's message for a container without a message
				message = fmt.Sprintf("main exited with %d", end.ExitCode)
			}
			ends[one.Metadata.key()] = agreement.End{ExitCode: end.ExitCode, Message: message}
		}
	}
	return ends
}

// dockerEngine returns an engine with the node's busybox image.
func dockerEngine(t *testing.T) *container.Engine {
	t.Helper()
	stop, err := docker.Start()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stop()) })
	require.NoError(t, docker.Load(filepath.Join(suite.node, "images", "shell.tar")))
	file, err := os.Executable()
	require.NoError(t, err)
	engine, err := container.New(context.Background(), "docker", container.Options{
		Environment: os.Environ(), Network: "none", Folder: t.TempDir(),
		Runner: container.Runner{File: file, Arguments: []string{process.RunnerArgument}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	return engine
}
