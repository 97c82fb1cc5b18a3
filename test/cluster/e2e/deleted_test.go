//go:build e2e

package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Pods are deleted at random times while they run. A Job with retries gets another Pod and completes; a Job without retries
// fails, unless it had already published. Published outputs are complete and correct, and a complete Job has published.
func TestFaultDeletedPod(t *testing.T) {
	s := newNamespace(t)
	plugin := s.plugin("gone@1.0.0", s.overlay(),
		step{name: "make", script: script("make", "sleep 2\n"+good), outputs: []string{"value"}},
		step{name: "use", script: script("use", "sha256sum < /inputs/make.value > /outputs/seen"),
			reads: []string{"make.value"}, outputs: []string{"seen"}, files: true})
	count := rounds(t)
	for name, arguments := range map[string][]string{
		"retry": {"--retries", "20"},
		"once":  nil,
	} {
		documents := []object{plugin}
		for i := range count {
			documents = append(documents, sandbox(fmt.Sprintf("%s-%d", name, i), "gone", nil))
		}
		s.apply(render(t, arguments, documents...))
	}
	random := rand.New(rand.NewPCG(11, 11))
	for range 3 * count {
		time.Sleep(time.Duration(random.IntN(2000)) * time.Millisecond)
		s.deletePod(random)
	}
	ends, outputs := s.ended(), s.outputs()
	require.Len(t, ends, 4*count)
	for key, end := range ends {
		if strings.HasPrefix(key, "retry") {
			assert.Equal(t, "Complete", end, key)
		}
		name, step, _ := strings.Cut(key, "/")
		want := map[string]string{"make": "value of " + name, "use": sha256Line("value of " + name)}[step]
		got := string(outputs[key].Data[map[string]string{"make": "value", "use": "seen"}[step]])
		if end == "Complete" || got != "" {
			assert.Equal(t, want, got, key)
		}
	}
}

// deletePod deletes one of the Pods that have not ended.
func (s *testNamespace) deletePod(random *rand.Rand) {
	pods, err := list[pod](s.name, "pods")
	require.NoError(s.t, err)
	var running []string
	for _, one := range pods {
		if one.Status.Phase == "Running" || one.Status.Phase == "Pending" {
			running = append(running, one.Metadata.Name)
		}
	}
	if len(running) > 0 {
		must(s.t, "", "delete", "pod", running[random.IntN(len(running))], "--namespace", s.name, "--grace-period=1", "--wait=false",
			"--ignore-not-found")
	}
}
