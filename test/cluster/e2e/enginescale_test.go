//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
)

// A hundred sandboxes with three steps each, applied at once, complete with each engine. The engines run in sequence. The
// highest number of Pods, the time, and the work of the API server are logged, but not asserted, since machines differ.
// E2E_SANDBOXES changes the number of sandboxes.
func TestEngineScale(t *testing.T) {
	onEngines(t, scale) // installs both engines
	t.Run(jobs.Name, func(t *testing.T) { scale(t, jobs.Name) })
}

func scale(t *testing.T, name string) {
	t.Helper()
	count := sandboxes(t, 100)
	s := newEngineNamespace(t, name)
	documents := []object{s.fan("old")}
	for i := range count {
		documents = append(documents, sandbox(fmt.Sprintf("many-%d", i), "fan", nil))
	}
	manifest := s.render(nil, documents...)
	before, began := serverLoad(t), time.Now()
	s.apply(manifest)
	applied := time.Since(began)
	most := s.countPods(func() bool { return s.hasEnded() })
	took := time.Since(began)
	for key, end := range s.ended() {
		require.Equal(t, "Complete", end, key)
	}
	for i := range count {
		one := fmt.Sprintf("many-%d", i)
		assert.Equal(t, map[string]int{"first": 1, "left": 1, "right": 1}, s.runs(one), one)
	}
	load := serverLoad(t)
	t.Logf("%s: %d steps of %d sandboxes: at most %d Pods alive, applied in %s, all complete after %s; %d objects created, %d writes",
		name, 3*count, count, most, applied.Round(time.Second), took.Round(time.Second),
		load.created-before.created, load.writes-before.writes)
}

// hasEnded reports whether all workloads have ended.
func (s *testNamespace) hasEnded() bool {
	s.t.Helper()
	found, err := list[workload](s.name, workloads[s.engine])
	require.NoError(s.t, err)
	for _, one := range found {
		if one.end() == "" {
			return false
		}
	}
	return len(found) > 0
}

// countPods counts the Pods that are pending or running every two seconds until the condition is met, and returns the
// highest number.
func (s *testNamespace) countPods(until func() bool) (most int) {
	s.t.Helper()
	eventually(s.t, func() (string, error) {
		alive, err := kubectl("", "get", "pods", "--namespace", s.name, "--output=name", "--chunk-size=0",
			"--field-selector=status.phase!=Succeeded,status.phase!=Failed")
		most = max(most, strings.Count(alive, "\n"))
		if err == nil && until() {
			return "", nil
		}
		return "the end of all workloads", err
	})
	return most
}
