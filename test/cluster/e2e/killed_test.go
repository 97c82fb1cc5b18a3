//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// If the runner is killed, as by the kernel when it is out of memory, nothing is published and the consumers stop.
func TestFaultKilledRunner(t *testing.T) {
	s := newNamespace(t)
	count := rounds(t)
	documents := []object{s.plugin("killed@1.0.0", s.overlay(),
		step{name: "make", script: script("make", good+"\nawait never"), outputs: []string{"value"}},
		step{name: "use", script: script("use", "true"), reads: []string{"make.value"}})}
	for i := range count {
		documents = append(documents, sandbox("killed-"+strconv.Itoa(i), "killed", nil))
	}
	s.apply(render(t, nil, documents...))
	for i := range count {
		name := "killed-" + strconv.Itoa(i)
		eventually(t, func() (string, error) {
			if len(s.times(t, name, "make", "start")) == 0 {
				return "the script of " + name, nil
			}
			return "", nil
		})
		require.NoError(t, syscall.Kill(s.runner(name), syscall.SIGKILL))
	}
	ends, messages, outputs := s.ended(), s.messages(), s.outputs()
	for i := range count {
		s.checkFault(fault{reason: "main was killed before it wrote an exit code"}, "killed-"+strconv.Itoa(i), ends, messages, outputs)
	}
}

// runner returns the process id of a sandbox's runner. The node runs on this machine.
func (s *testNamespace) runner(sandbox string) int {
	s.t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(s.t, err)
	for _, folder := range folders {
		command, _ := os.ReadFile(folder + "/cmdline")
		variables, _ := os.ReadFile(folder + "/environ")
		if strings.HasPrefix(string(command), contract.RunnerFile+"\x00") &&
			strings.Contains("\x00"+string(variables), "\x00"+contract.SandboxNameVariable+"="+sandbox+"\x00") && s.mounts(folder) {
			pid, err := strconv.Atoi(filepath.Base(folder))
			require.NoError(s.t, err)
			return pid
		}
	}
	require.FailNow(s.t, "no runner", sandbox)
	return 0
}

// mounts reports whether a process mounts the shared folder of this namespace: another run may have a sandbox of the same
// name.
func (s *testNamespace) mounts(folder string) bool {
	mounts, err := os.ReadFile(folder + "/mountinfo")
	return assert.NoError(s.t, err) && strings.Contains(string(mounts), "/"+s.name+" /shared ")
}
