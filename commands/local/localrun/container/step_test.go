//go:build e2e

package container

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// step returns a container with a script for a step with data flow.
func step(script string, outputs ...string) localrun.Container {
	plan := &contract.Plan{Step: "make", Generation: "g"}
	for _, name := range outputs {
		plan.Outputs = append(plan.Outputs, contract.Output{Name: name, Path: "/outputs/" + name})
	}
	container := plain(script)
	container.Plan, container.Command = plan, []string{contract.RunnerFile, contract.ScriptFile}
	return container
}

// plain returns a container with a script that runs without the runner.
func plain(script string) localrun.Container {
	return localrun.Container{
		Name: "rplug-test-" + localrun.NewMark(), Image: shellImage,
		Command:  []string{contract.ScriptFile},
		Files:    []localrun.File{{Path: contract.ScriptFile, Content: []byte(script), Mode: 0o555}},
		Template: &corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: contract.MainContainer}}}},
	}
}

// run runs a container and returns its result and log.
func run(t *testing.T, engine *Engine, container localrun.Container) (localrun.Result, string) {
	t.Helper()
	var log bytes.Buffer
	container.Log = &log
	result, err := engine.Run(t.Context(), container)
	require.NoError(t, err, log.String())
	return result, log.String()
}

// with returns a modified container.
func with(container localrun.Container, edit func(*localrun.Container)) localrun.Container {
	edit(&container)
	return container
}
