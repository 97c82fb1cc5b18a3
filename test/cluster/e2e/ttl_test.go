//go:build e2e

package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Jobs that Kubernetes removes right after their end: rplug status --wait does not miss it. Later, steps that a Secret records
// are Ready and do not run again; of others, it cannot be known.
func TestStatusTTL(t *testing.T) {
	arguments := []string{"--ttl-seconds-after-finished", "0"}
	for name, c := range map[string]struct {
		render func(*testNamespace) string
		runs   map[string]int
		later  string
	}{
		"returned": {
			func(s *testNamespace) string { return s.returned("one", arguments...) },
			map[string]int{"make": 1, "use": 1, "tell": 1}, "Ready",
		},
		"plainly": {func(s *testNamespace) string { return s.plainly("one", arguments...) }, map[string]int{"mk": 1}, "Unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newNamespace(t)
			p := newPage(s, name)
			p.write("create.yaml", c.render(s))
			done := make(chan statusReport)
			go func() { done <- p.jsonStatus("create.yaml", "--wait", "--timeout", timeout.String()) }()
			s.apply(c.render(s))
			report := <-done
			require.Equal(t, "Ready", report.Status, "%+v", report)
			eventually(t, func() (string, error) {
				found, err := list[workload](s.name, "jobs")
				if len(found) > 0 {
					return fmt.Sprintf("the removal of %d Jobs", len(found)), err
				}
				return "", err
			})
			report = p.jsonStatus("create.yaml")
			assert.Equal(t, c.later, report.Status, "%+v", report)
			if c.later == "Unknown" {
				assert.Contains(t, report.Steps[0].Detail, "cannot be known")
				return
			}
			s.apply(c.render(s))
			p.jsonStatus("create.yaml", "--wait", "--timeout", timeout.String())
			s.ended()
			assert.Equal(t, c.runs, s.runs(name), "a recorded step must not run again")
		})
	}
}
