//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Two hundred sandboxes with one step in one Application, beside as many plain Jobs in another.
func TestArgoCDMany(t *testing.T) {
	many(t, argoCDArguments, func(s *testNamespace) (*repository, func(), func(string)) {
		a := newApplication(s)
		return a.repository, a.create, func(revision string) { a.await(revision, "Synced", "Healthy") }
	})
}

// Two hundred sandboxes with one step in one Kustomization, beside as many plain Jobs in another.
func TestFluxMany(t *testing.T) {
	many(t, fluxArguments, func(s *testNamespace) (*repository, func(), func(string)) {
		k := newKustomization(s)
		return k.repository, k.create, k.ready
	})
}

// many delivers 200 sandboxes, and as many plain Jobs with the same script. The time until all are healthy, the requests to the
// API server until then, in a minute in which nothing changes, and after the labels of all Jobs have been changed, are logged,
// but not asserted, since machines differ. E2E_SANDBOXES changes the number.
func many(t *testing.T, arguments []string, deliver func(*testNamespace) (r *repository, create func(), ready func(revision string))) {
	t.Helper()
	count := sandboxes(t, 200)
	for _, one := range []struct {
		name   string
		render func(s *testNamespace) string
	}{
		{"Jobs", func(s *testNamespace) string { return s.plainJobs(count) }},
		{"Sandboxes", func(s *testNamespace) string {
			documents := []object{s.plugin("kept@1.0.0", s.overlay(), step{name: "keep", script: script("keep", good), outputs: []string{"value"}})}
			for i := range count {
				documents = append(documents, sandbox(fmt.Sprintf("many-%d", i), "kept", nil))
			}
			return render(t, arguments, documents...)
		}},
	} {
		t.Run(one.name, func(t *testing.T) {
			lockNodeExclusive(t) // the numbers are those of all clients
			s := newNamespace(t)
			r, create, ready := deliver(s)
			manifest := one.render(s)
			revision := r.render(manifest)
			before, began := requestsOf(t), time.Now()
			create()
			ready(revision)
			t.Logf("%d %s, %d objects, %d KB: healthy after %s; %s", count, strings.ToLower(one.name), strings.Count(manifest, "\n---\n")+1,
				len(manifest)/1000, time.Since(began).Round(time.Second), requestsOf(t).since(before))
			s.complete(count)

			before = requestsOf(t)
			time.Sleep(time.Minute)
			t.Logf("a minute at rest: %s", requestsOf(t).since(before))

			before, began = requestsOf(t), time.Now()
			must(t, "", "label", "jobs", "--all", "--namespace", s.name, "app.kubernetes.io/managed-by=me", "--overwrite")
			eventually(t, func() (string, error) {
				found, err := list[struct{ Metadata metadata }](s.name, "jobs", "--selector=app.kubernetes.io/managed-by=me")
				if len(found) > 0 {
					return fmt.Sprintf("the labels of %d Jobs", len(found)), err
				}
				return "", err
			})
			ready(revision)
			t.Logf("the labels of all Jobs were changed: restored after %s; %s", time.Since(began).Round(time.Second), requestsOf(t).since(before))
			s.complete(count)
		})
	}
}

// complete checks that all Jobs of the namespace are complete.
func (s *testNamespace) complete(count int) {
	s.t.Helper()
	found, err := list[workload](s.name, "jobs")
	require.NoError(s.t, err)
	require.Len(s.t, found, count)
	for _, one := range found {
		require.Equal(s.t, "Complete", one.end(), one.Metadata.Name)
	}
}

// plainJobs returns Jobs as people write them by hand, with the image and the script of the sandboxes' step.
func (s *testNamespace) plainJobs(count int) string {
	jobs := make([]object, count)
	for i := range jobs {
		labels := map[string]string{"app.kubernetes.io/managed-by": "hand"}
		jobs[i] = object{
			"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"name": fmt.Sprintf("many-%d", i), "namespace": s.name, "labels": labels},
			"spec": object{"template": object{"metadata": object{"labels": labels}, "spec": object{
				"restartPolicy": "Never",
				"containers":    []object{{"name": "main", "image": "busybox", "command": []string{"/bin/sh", "-c", "sleep 0.1"}}},
			}}},
		}
	}
	return texts(s.t, jobs...)
}
