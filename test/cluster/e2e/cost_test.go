//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
)

// A thousand sandboxes with one step are applied, and applied again without a change, by kubectl and by server-side apply, with
// Jobs and with each engine of the cluster. No Pod may start in the namespace, so the log has the cost of applying: the time,
// the requests, and the bytes in etcd. Nothing is asserted about them, since machines differ. E2E_SANDBOXES changes the number.
func TestScaleApply(t *testing.T) { costs(t, jobs.Name) }

func TestEngineScaleApply(t *testing.T) { onEngines(t, costs) }

func costs(t *testing.T, engine string) {
	t.Helper()
	count := sandboxes(t, 1000)
	for _, how := range []struct {
		name      string
		arguments []string
	}{
		{"client-side", nil},
		{"server-side", []string{"--server-side", "--force-conflicts", "--field-manager=costs"}},
	} {
		t.Run(how.name, func(t *testing.T) {
			lockNodeExclusive(t) // the numbers are those of all clients
			s := newEngineNamespace(t, engine)
			must(t, "", "create", "quota", "none", "--hard=pods=0", "--namespace", s.name)
			if engine == jobs.Name { // whose controller tries to create Pods again and again
				nodeScript(t, "pause", "controller-manager")
				t.Cleanup(func() { nodeScript(t, "restart", "controller-manager") })
			}
			documents := []object{s.plugin("kept@1.0.0", s.overlay(), step{name: "keep", script: script("keep", good), outputs: []string{"value"}})}
			for i := range count {
				documents = append(documents, sandbox(fmt.Sprintf("many-%d", i), "kept", nil))
			}
			manifest := s.render(nil, documents...)
			t.Logf("%d sandboxes with %s: %d objects, %d KB", count, engine, strings.Count(manifest, "\n---\n")+1, len(manifest)/1000)
			for _, round := range []string{"applied", "applied again"} {
				before, stored, began := requestsOf(t), storedBytes(t), time.Now()
				s.apply(manifest, how.arguments...)
				t.Logf("%s after %s; %s; %d KB more in etcd", round, time.Since(began).Round(time.Second), requestsOf(t).since(before),
					(storedBytes(t)-stored)/1000)
			}
		})
	}
}
