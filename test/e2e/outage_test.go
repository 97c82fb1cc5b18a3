//go:build e2e

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The API server fails while consumers wait and producers publish: it hangs for 20 seconds, or is killed at a random time
// and restarted. Every step runs once, and every consumer reads its producer's value.
func TestFaultAPIServer(t *testing.T) {
	lockNodeExclusive(t)
	s := newNamespace(t)
	plugin := s.plugin("outage@1.0.0", s.overlay(),
		step{name: "make", script: script("make", "await go-${SIGNADOT_SANDBOX_NAME%-*}\n"+good), outputs: []string{"value"}},
		step{name: "use", script: script("use", "sha256sum < /inputs/make.value > /outputs/seen"),
			reads: []string{"make.value"}, outputs: []string{"seen"}, files: true})
	random := rand.New(rand.NewPCG(7, 7))
	for round := range rounds(t) {
		s.outage(plugin, fmt.Sprintf("hang%d", round), func() {
			server := apiServer(t)
			require.NoError(t, syscall.Kill(server, syscall.SIGSTOP))
			s.open(t, fmt.Sprintf("go-hang%d", round))
			time.Sleep(20 * time.Second)
			require.NoError(t, syscall.Kill(server, syscall.SIGCONT))
		})
		s.outage(plugin, fmt.Sprintf("kill%d", round), func() {
			s.open(t, fmt.Sprintf("go-kill%d", round))
			time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
			nodeScript(t, "restart", "apiserver", "KILL")
		})
	}
}

// outage runs sandboxes and calls cause when their producers are about to publish and their consumers wait.
func (s *testNamespace) outage(plugin object, name string, cause func()) {
	const sandboxes = 4
	t, documents := s.t, []object{plugin}
	for i := range sandboxes {
		documents = append(documents, sandbox(fmt.Sprintf("%s-%d", name, i), "outage", nil))
	}
	s.apply(render(t, nil, documents...))
	eventually(t, func() (string, error) {
		var waiting []string
		for i := range sandboxes {
			if one := fmt.Sprintf("%s-%d", name, i); len(s.times(t, one, "make", "start")) == 0 {
				waiting = append(waiting, one)
			}
		}
		return strings.Join(waiting, " "), nil
	})
	cause()
	ends, outputs := s.ended(), s.outputs()
	for i := range sandboxes {
		one := fmt.Sprintf("%s-%d", name, i)
		for _, step := range []string{"make", "use"} {
			assert.Equal(t, "Complete", ends[one+"/"+step], "%s/%s", one, step)
			assert.Len(t, s.times(t, one, step, "start"), 1, "runs of %s/%s", one, step)
		}
		assert.Equal(t, "value of "+one, string(outputs[one+"/make"].Data["value"]))
		assert.Equal(t, sha256Line("value of "+one), string(outputs[one+"/use"].Data["seen"]))
	}
}

// apiServer returns the process id of the API server.
func apiServer(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(suite.node, "parts", "apiserver.pid"))
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.Fields(string(text))[0])
	require.NoError(t, err)
	return pid
}
