//go:build e2e

package e2e

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Components of the node stop while Pods start, run and publish, and start again later. In the end every step has ended, no
// Pod has run its script twice, outputs are complete or missing, and consumers have run only if their producers published.
func TestFaultNode(t *testing.T) {
	lockNodeExclusive(t)
	s := newNamespace(t)
	random := rand.New(rand.NewPCG(13, 13))
	for round := range (rounds(t) + 2) / 3 { // each takes minutes
		for _, outage := range []struct {
			name  string
			parts []string
			down  time.Duration
		}{
			{"kubelet", []string{"kubelet"}, 5 * time.Second},
			{"node", []string{"kubelet", "containerd"}, 5 * time.Second},
			{"etcd", []string{"etcd"}, 20 * time.Second},
			{"api5", []string{"apiserver"}, 5 * time.Second},
			{"api30", []string{"apiserver"}, 30 * time.Second},
			{"api90", []string{"apiserver"}, 90 * time.Second},
		} {
			t.Run(outage.name+strconv.Itoa(round), func(t *testing.T) {
				s.in(t).storm(fmt.Sprintf("%s%d", outage.name, round), time.Duration(random.IntN(3000))*time.Millisecond, func() {
					for _, part := range outage.parts {
						nodeScript(t, "pause", part, "KILL")
					}
					time.Sleep(outage.down)
					for i := range outage.parts {
						nodeScript(t, "restart", outage.parts[len(outage.parts)-1-i], "KILL")
					}
				})
			})
		}
	}
}

// storm applies sandboxes, calls cause some time later, and checks the results of their steps.
func (s *testNamespace) storm(name string, after time.Duration, cause func()) {
	t := s.t
	t.Helper()
	const sandboxes = 12
	quick := `sleep 0.$((RANDOM % 10))` + "\n" + good
	documents := []object{s.plugin(name+"@1.0.0", s.overlay(),
		step{name: "make", script: script("make", quick), outputs: []string{"value"}},
		step{name: "use", script: script("use", "sha256sum < /inputs/make.value > /outputs/seen"),
			reads: []string{"make.value"}, outputs: []string{"seen"}, files: true})}
	for i := range sandboxes {
		documents = append(documents, sandbox(fmt.Sprintf("%s-%d", name, i), name, nil))
	}
	began := time.Now()
	s.apply(render(t, []string{"--step-timeout-seconds", "60", "--start-timeout-seconds", "60"}, documents...))
	time.Sleep(after)
	cause()
	ends, outputs := s.ended(), s.outputs()
	complete := 0
	for i := range sandboxes {
		one := fmt.Sprintf("%s-%d", name, i)
		made, used := outputs[one+"/make"], outputs[one+"/use"]
		if ends[one+"/make"] == "Complete" && ends[one+"/use"] == "Complete" {
			complete++
		}
		published := made.Metadata.Annotations[contract.PublishedKey] != ""
		assert.True(t, published || ends[one+"/make"] == "Failed", "%s: complete means published", one)
		assert.True(t, used.Metadata.Annotations[contract.PublishedKey] != "" || ends[one+"/use"] == "Failed", one)
		assert.Equal(t, map[bool]string{true: "value of " + one}[published], string(made.Data["value"]), one)
		if starts := s.times(t, one, "use", "start"); len(starts) > 0 {
			require.True(t, published, "%s: the consumer ran", one)
		}
		if used.Metadata.Annotations[contract.PublishedKey] != "" {
			assert.Equal(t, sha256Line("value of "+one), string(used.Data["seen"]), one)
		} else {
			assert.Empty(t, used.Data, "%s: a step that failed publishes nothing", one)
		}
		s.checkStarts(one, "make")
	}
	t.Logf("hit %s after applying: %d of %d sandboxes complete, all ended after %s", after, complete, sandboxes,
		time.Since(began).Round(time.Second))
}

// checkStarts checks that a script without retries has started once in each of its Pods, and that its Job has had a second
// Pod only if the controller of Jobs got no answer to the creation of one, although the API server created it:
// https://kubernetes.io/docs/concepts/workloads/controllers/job/#handling-pod-and-container-failures
func (s *testNamespace) checkStarts(sandbox, step string) {
	s.t.Helper()
	starts := map[string]int{} // by Pod
	for _, e := range s.events(s.t) {
		if e.sandbox == sandbox && e.step == step && e.what == "start" {
			starts[e.pod]++
		}
	}
	for name, times := range starts {
		assert.Equal(s.t, 1, times, "%s/%s: without retries a Pod runs its script once: %s", sandbox, step, name)
		if len(starts) > 1 {
			assert.GreaterOrEqual(s.t, s.unanswered(name), len(starts)-1, "%s/%s has run in %v", sandbox, step, starts)
		}
	}
}

// unanswered returns how often the controller of Jobs got no answer to a request for a Pod of the same Job: its connection broke
// after it was made. Errors that the server answers, such as a refusal, do not count. A Pod is named after its Job.
func (s *testNamespace) unanswered(pod string) (count int) {
	s.t.Helper()
	type event struct {
		InvolvedObject struct{ Name string }
		Message        string
	}
	events, err := list[event](s.name, "events", "--field-selector", "reason=FailedCreate,involvedObject.kind=Job")
	require.NoError(s.t, err)
	for _, e := range events {
		wasSent := strings.HasPrefix(e.Message, "Error creating: Post ") && !strings.Contains(e.Message, ": dial tcp ")
		if strings.HasPrefix(e.InvolvedObject.Name, pod[:strings.LastIndex(pod, "-")]) && wasSent {
			s.t.Logf("%s: %s", e.InvolvedObject.Name, e.Message)
			count++
		}
	}
	return count
}
