//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Independent steps overlap: each waits for the start of the other.
func TestStepsOverlap(t *testing.T) {
	s := newNamespace(t)
	side := func(name, other string) step {
		return step{
			name: name, script: script(name, "touch /shared/is-"+name+"\nawait is-"+other+"\necho > /outputs/value"),
			outputs: []string{"value"},
		}
	}
	s.apply(render(t, nil, s.plugin("sides@1.0.0", s.overlay(), side("left", "right"), side("right", "left"),
		step{name: "both", script: script("both", ""), reads: []string{"left.value", "right.value"}}),
		sandbox("overlap", "sides", nil)))
	s.succeeded(3)
	at := func(step, what string) float64 {
		times := s.times(t, "overlap", step, what)
		require.Len(t, times, 1, "%s of %s", what, step)
		return times[0]
	}
	assert.Less(t, at("left", "start"), at("right", "end"))
	assert.Less(t, at("right", "start"), at("left", "end"))
	assert.Greater(t, at("both", "start"), max(at("left", "end"), at("right", "end")))
}

// The time from the end of a producer's script to the start of its consumer's is logged, not asserted, since machines
// differ. It includes publishing, waiting, and the start of a container.
func TestStepsLatency(t *testing.T) {
	s := newNamespace(t)
	count := 2*rounds(t) + 1
	documents := []object{s.plugin("relay@1.0.0", s.overlay(),
		step{name: "make", script: script("make", "await go-$SIGNADOT_SANDBOX_NAME\n"+good), outputs: []string{"value"}},
		step{name: "use", script: script("use", ""), reads: []string{"make.value"}})}
	for i := range count {
		documents = append(documents, sandbox(fmt.Sprintf("relay-%d", i), "relay", nil))
	}
	s.apply(render(t, nil, documents...))
	eventually(t, func() (string, error) { return s.notWaiting(count) })
	var latencies []float64
	for i := range count {
		name := fmt.Sprintf("relay-%d", i)
		s.open(t, "go-"+name)
		eventually(t, func() (string, error) {
			if len(s.times(t, name, "use", "start")) == 0 {
				return "the consumer of " + name, nil
			}
			return "", nil
		})
		latencies = append(latencies, s.times(t, name, "use", "start")[0]-s.times(t, name, "make", "end")[0])
	}
	s.succeeded(2 * count)
	slices.Sort(latencies)
	t.Logf("from the end of a producer's script to the start of its consumer's: median %.2f s, %.2f to %.2f s, of %d",
		latencies[count/2], latencies[0], latencies[count-1], count)
}

// notWaiting returns "" when all consumers wait and all producers run.
func (s *testNamespace) notWaiting(count int) (string, error) {
	pods, err := list[pod](s.name, "pods")
	waiting, started := 0, 0
	for _, one := range pods {
		if init := one.Status.InitContainerStatuses; strings.HasSuffix(one.Metadata.key(), "/use") && len(init) == 1 &&
			init[0].State.Running != nil {
			waiting++
		}
	}
	for _, e := range s.events(s.t) {
		if e.step == "make" && e.what == "start" {
			started++
		}
	}
	if waiting < count || started < count {
		return fmt.Sprintf("%d of %d consumers wait, %d producers run", waiting, count, started), err
	}
	return "", err
}
