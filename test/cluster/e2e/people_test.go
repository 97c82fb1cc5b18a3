//go:build e2e

package e2e

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two people apply different states of a sandbox at the same time, with plain kubectl. Whatever the order, at most one
// of the states is Ready, and it is the one that exists.
func TestReturnTwoPeople(t *testing.T) {
	t.Parallel()
	t.Run("Values", func(t *testing.T) {
		s := newNamespace(t)
		p := newPage(s, "returned")
		values := []string{"one", "two"}
		for range rounds(t) {
			s.applyTogether(s.returned("one"), s.returned("two"))
			s.ended()
			var ready []string
			for _, value := range values {
				p.write(value+".yaml", s.returned(value))
				if p.jsonStatus(value+".yaml").Status == "Ready" {
					ready = append(ready, value)
				}
			}
			require.LessOrEqual(t, len(ready), 1, "both cannot exist")
			if len(ready) == 1 {
				s.requireValue(ready[0])
			}
		}
	})
	// If the cleanup deletes the Secret that a step is about to read, its Pod waits until its deadline: nine minutes with these.
	short := []string{"--start-timeout-seconds", "120", "--step-timeout-seconds", "60"}
	for round := range rounds(t) {
		t.Run(fmt.Sprint("CreateAndDelete", round), func(t *testing.T) {
			s := newNamespace(t)
			p := newPage(s, "returned")
			create := s.returned("one", short...)
			remove := s.returned("one", append([]string{"--phases", "delete"}, short...)...)
			p.write("create.yaml", create)
			p.write("delete.yaml", remove)
			s.applyTogether(create, remove)
			s.ended()
			created, removed := p.jsonStatus("create.yaml").Status, p.jsonStatus("delete.yaml").Status
			t.Logf("create is %s, delete is %s; %v", created, removed, s.runs("returned"))
			assert.False(t, created == "Ready" && removed == "Ready", "both cannot be")
			if created == "Ready" {
				s.requireValue("one")
				assert.Zero(t, s.runs("returned")["drop"])
			}
			if removed == "Ready" {
				for key, output := range s.outputs() {
					assert.Empty(t, output.Data, key)
				}
			}
		})
	}
}

// applyTogether applies manifests at the same time.
func (s *testNamespace) applyTogether(manifests ...string) {
	s.t.Helper()
	var group sync.WaitGroup
	errs := make([]error, len(manifests))
	for i, manifest := range manifests {
		group.Go(func() { _, errs[i] = kubectl(manifest, "apply", "--server-side", "--force-conflicts", "-f", "-") })
	}
	group.Wait()
	for _, err := range errs {
		require.NoError(s.t, err)
	}
}
