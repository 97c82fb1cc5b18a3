//go:build e2e

package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A native sidecar of the overlay ends with main, so the Job completes. A container beside main would keep the Job running
// after the outputs are published; with a delete phase that is an error.
func TestStepsSidecar(t *testing.T) {
	s := newNamespace(t)
	const side = `{name: side, image: busybox, command: [sh, -c, "trap 'exit 0' TERM; while :; do sleep 0.2; done"]`
	maker := step{name: "make", script: script("make", good), outputs: []string{"value"}}
	native := s.plugin("native@1.0.0", s.overlay()+"  initContainers: ["+side+", restartPolicy: Always}]\n", maker)
	s.apply(render(t, nil, native, sandbox("native", "native", nil)))
	s.succeeded(1)
	assert.Equal(t, "value of native", string(s.outputs()["native/make"].Data["value"]))

	beside := s.plugin("beside@1.0.0", "spec: {containers: [{name: main}, "+side+"}]}", maker)
	beside["spec"].(object)["delete"] = []object{step{name: "drop", script: "#!/bin/sh\n"}.document()}
	documents := texts(t, beside, sandbox("beside", "beside", nil))
	for _, phase := range []string{"create", "delete"} {
		command := exec.Command(filepath.Join(suite.programs, "render-phase"), "--phases", phase, "-")
		stdout, stderr, err := execute(command, documents)
		require.Error(t, err, phase)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, "move it to spec.initContainers with restartPolicy Always")
	}
}

// With an engine of the cluster, a container of the overlay beside main is stopped when main has ended, and the outputs are
// published once.
func TestEngineSidecar(t *testing.T) {
	onEngines(t, func(t *testing.T, name string) {
		t.Helper()
		s := newEngineNamespace(t, name)
		overlay := s.overlay() + "  - {name: side, image: busybox, command: [sh, -c, \"trap 'exit 0' TERM; while :; do sleep 0.2; done\"]}\n"
		overlay = strings.Replace(overlay, "containers: [{", "containers:\n  - {", 1)
		overlay = strings.Replace(overlay, "}]\n  - {name: side", "}\n  - {name: side", 1)
		plugin := s.plugin("beside@1.0.0", overlay, step{name: "make", script: script("make", good), outputs: []string{"value"}},
			step{name: "use", script: script("use", `[ "$MAKE_VALUE" = "value of beside" ]`), reads: []string{"make.value"}})
		s.apply(s.render(nil, plugin, sandbox("beside", "beside", nil)))
		s.succeeded(1)
		assert.Equal(t, "value of beside", string(s.outputs()["beside/make"].Data["value"]))
		assert.Equal(t, map[string]int{"make": 1, "use": 1}, s.runs("beside"))
	})
}
