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

	"github.com/stretchr/testify/require"
)

// The API server fails while consumers wait and producers publish: it hangs for 20 seconds, or is killed at a random time
// and restarted. Every step runs once, and every consumer reads its producer's value.
func TestFaultAPIServer(t *testing.T) {
	lockNodeExclusive(t)
	s := newNamespace(t)
	plugin := s.outagePlugin()
	random := rand.New(rand.NewPCG(7, 7))
	for round := range rounds(t) {
		s.outage(plugin, fmt.Sprintf("hang%d", round), nil, func() {
			server := apiServer(t)
			require.NoError(t, syscall.Kill(server, syscall.SIGSTOP))
			s.open(t, fmt.Sprintf("go-hang%d", round))
			time.Sleep(20 * time.Second)
			require.NoError(t, syscall.Kill(server, syscall.SIGCONT))
		})
		s.outage(plugin, fmt.Sprintf("kill%d", round), nil, func() {
			s.open(t, fmt.Sprintf("go-kill%d", round))
			time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
			nodeScript(t, "restart", "apiserver", "KILL")
		})
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
