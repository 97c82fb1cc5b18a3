//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// byCluster has the flags to render objects that let the cluster tear sandboxes down.
var byCluster = []string{"--expiry", "cluster"}

// A sandbox with a fork expires by the clock of the cluster: the fork ends, then the delete steps run, and nothing is left.
func TestLifecycleExpiryCluster(t *testing.T) {
	t.Parallel()
	w := newWriting(t, "", byCluster...)
	documents := w.documents(nil)
	documents[2]["spec"].(object)["ttl"] = object{"duration": "2m"}
	baseline := strings.NewReplacer("NAMESPACE", w.shop.name, "FOLDER", w.folder()).Replace(writer)
	forks := function(t, "render-sandbox", baseline+"---\n"+texts(t, documents...), "-")
	w.open(t, "go")
	w.apply(render(t, byCluster, documents...) + "---\n" + forks)
	w.writes()
	w.gone(contract.DeriveSandboxID("e2e", w.sandbox), w.shop)
	w.requireOrder()
}

// Two sandboxes expire at once, while the Pods of the CronJob are killed again and again: each step runs once.
func TestLifecycleExpiryClusterKilled(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	names := []string{"left", "right"}
	s.apply(render(t, byCluster, s.database(""), expiring("left", "2m", ""), expiring("right", "2m", "")))
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		pods, err := kubectl("", "get", "pods", "--namespace", s.name, "-o", "name")
		require.NoError(t, err)
		for name := range strings.FieldsSeq(pods) {
			if strings.HasPrefix(name, "pod/expiry-") {
				_, _ = kubectl("", "delete", name, "--namespace", s.name, "--force", "--grace-period=0")
			}
		}
	}
	for _, name := range names {
		s.gone(contract.DeriveSandboxID("e2e", name))
		assert.Equal(t, map[string]int{"make": 1, "drop": 1}, s.runs(name))
		assert.Len(t, s.times(t, name, "drop", "end"), 1, "it read the output")
	}
}

// A delete step fails: nothing else is removed, and the ConfigMap says so. The other sandbox is gone meanwhile. When the cause is fixed
// and the failed Jobs are deleted, the teardown continues.
func TestLifecycleExpiryClusterFails(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	s.apply(render(t, byCluster, s.database("[ -e /shared/fixed ] || [ $SIGNADOT_SANDBOX_NAME = good ]"),
		expiring("good", "2m", ""), expiring("bad", "2m", "")))
	id := contract.DeriveSandboxID("e2e", "bad")
	s.gone(contract.DeriveSandboxID("e2e", "good"))
	const state = `{.items[*].metadata.annotations.resourceplugins\.dev/expiry}`
	eventually(t, func() (string, error) {
		if text := s.ofSandbox(id, "configmaps", state); !strings.Contains(text, "its teardown has failed, so nothing else is removed") {
			return "the failure in the ConfigMap, not " + text, nil
		}
		return "", nil
	})
	kept := s.ofSandbox(id, "secrets,roles,serviceaccounts", uids)
	assert.Contains(t, kept, "Secret/")
	time.Sleep(2 * time.Minute) // more runs of the CronJob
	assert.Equal(t, kept, s.ofSandbox(id, "secrets,roles,serviceaccounts", uids))
	assert.Equal(t, "value of bad", string(s.outputs()["bad/make"].Data["value"]))
	log := must(t, "", "get", "pods", "--namespace", s.name, "-o",
		`jsonpath={range .items[?(@.spec.containers[0].name=="expire")]}{.status.containerStatuses[0].state.terminated.message}{end}`)
	assert.Contains(t, log, `of resource "r", step "drop", failed (BackoffLimitExceeded`)

	s.open(t, "fixed")
	for name, end := range s.jobsOfPhase(id, "delete") {
		if end == "Failed" {
			must(t, "", "delete", "job", name, "--namespace", s.name)
		}
	}
	s.gone(id)
	assert.Equal(t, 2, s.runs("bad")["drop"])
}

// updatedAt counts from the last change of the document: neither the same render nor annotations of others change the time.
func TestLifecycleExpiryClusterUpdated(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	id := contract.DeriveSandboxID("e2e", "fresh")
	updated := func() string {
		text := must(t, "", "get", "configmaps", "--namespace", s.name, "--selector", contract.SandboxIDKey+"="+id, "--show-managed-fields",
			"-o", `jsonpath={range .items[*].metadata.managedFields[?(@.fieldsV1)]}{.manager}={.time} {end}`)
		return strings.Join(slices.DeleteFunc(strings.Fields(text), func(one string) bool {
			return strings.HasPrefix(one, "other=") || strings.HasPrefix(one, "resourceplugins=")
		}), " ")
	}
	for _, arguments := range [][]string{nil, {"--server-side", "--force-conflicts"}} {
		first := render(t, byCluster, s.database(""), expiring("fresh", "1h", "updatedAt"))
		s.apply(first, arguments...)
		before := updated()
		require.NotEmpty(t, before)
		time.Sleep(1100 * time.Millisecond) // times have no fractions of seconds
		s.apply(first, arguments...)
		must(t, "", "annotate", "configmaps", "--namespace", s.name, "--selector", contract.SandboxIDKey+"="+id, "--overwrite",
			"--field-manager=other", fmt.Sprintf("example.com/at=%d", time.Now().UnixNano()))
		assert.Equal(t, before, updated())
		other := expiring("fresh", "1h", "updatedAt")
		other["spec"].(object)["description"] = strings.Join(append([]string{"changed"}, arguments...), " ")
		s.apply(render(t, byCluster, s.database(""), other), arguments...)
		assert.NotEqual(t, before, updated())
	}
	s.apply(render(t, byCluster, s.database(""), expiring("fresh", "1m", "updatedAt")), "--server-side", "--force-conflicts")
	s.gone(id)
	assert.Equal(t, map[string]int{"make": 1, "drop": 1}, s.runs("fresh"))
}

// Of a sandbox that is marked absent, the CronJob only removes the ConfigMap: its delete phase is delivered. A sandbox of the same name
// that is created later is as young as it is.
func TestLifecycleExpiryClusterAbsent(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	id := contract.DeriveSandboxID("e2e", "twice")
	plugin, of := s.database(""), expiring("twice", "1h", "")
	s.apply(render(t, byCluster, plugin, of))
	s.ended("--selector", contract.SandboxIDKey+"="+id)
	of["metadata"].(object)["annotations"] = map[string]string{contract.StateKey: "absent"}
	s.apply(render(t, byCluster, plugin, of))
	s.ended("--selector", contract.SandboxIDKey+"="+id)
	eventually(t, func() (string, error) {
		left, err := kubectl("", "get", "configmaps,roles,rolebindings", "--namespace", s.name, "-o", "name")
		if strings.Contains(left, "twice-teardown") {
			return "the end of the ConfigMap and the rights", err
		}
		return "", err
	})
	assert.Equal(t, map[string]int{"make": 1, "drop": 1}, s.runs("twice"))
}

// database is a plugin with an output that its delete step reads, which begins with a command.
func (s *testNamespace) database(command string) object {
	plugin := s.plugin("value@1.0.0", s.overlay(), step{name: "make", script: script("make", good), outputs: []string{"value"}})
	drop := step{name: "drop", script: script("drop", command+"\n[ \"$MAKE_VALUE\" = \"value of $SIGNADOT_SANDBOX_NAME\" ]"), reads: []string{"make.value"}}
	plugin["spec"].(object)["delete"] = []object{drop.document()}
	return plugin
}

// expiring returns a sandbox with a ttl.
func expiring(name, ttl, offsetFrom string) object {
	of := sandbox(name, "value@1.0.0", nil)
	of["spec"].(object)["ttl"] = object{"duration": ttl}
	if offsetFrom != "" {
		of["spec"].(object)["ttl"] = object{"duration": ttl, "offsetFrom": offsetFrom}
	}
	return of
}

// jobsOfPhase returns how the Jobs of a phase have ended, by name.
func (s *testNamespace) jobsOfPhase(id, phase string) map[string]string {
	s.t.Helper()
	found, err := list[workload](s.name, "jobs", "--selector", contract.SandboxIDKey+"="+id+","+contract.PhaseKey+"="+phase)
	require.NoError(s.t, err)
	ends := map[string]string{}
	for _, one := range found {
		ends[one.Metadata.Name] = one.end()
	}
	return ends
}

// gone waits until nothing of a sandbox is left in the namespaces.
func (s *testNamespace) gone(id string, others ...*testNamespace) {
	s.t.Helper()
	const kinds = "jobs,pods,configmaps,secrets,serviceaccounts,roles,rolebindings,poddisruptionbudgets,deployments,replicasets,services"
	eventually(s.t, func() (string, error) {
		var left []string
		for _, of := range append([]*testNamespace{s}, others...) {
			text, err := kubectl("", "get", kinds, "--namespace", of.name, "--output=name", "--selector", contract.SandboxIDKey+"="+id)
			if err != nil {
				return "", err
			}
			left = append(left, strings.Fields(text)...)
		}
		if len(left) > 0 {
			return "the end of " + strings.Join(left, " "), nil
		}
		return "", nil
	})
}
