//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine/argo"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
	"github.com/resource-plugins/krm-functions/internal/engine/tekton"
)

// Every fault of a script makes the run fail with a reason. Nothing is published, and the consumer does not start.
func TestEngineFaults(t *testing.T) {
	onEngines(t, func(t *testing.T, name string) {
		t.Helper()
		s := newEngineNamespace(t, name)
		for _, one := range faults {
			s.apply(s.faulty(one, 1))
		}
		ends := s.ended()
		require.Len(t, ends, len(faults))
		messages, outputs := s.messages(), s.outputs()
		for _, one := range faults {
			s.checkEngineFault(one, one.name+"-0", ends[one.name+"-0/"], messages, outputs)
		}
	})
}

func (s *testNamespace) checkEngineFault(
	one fault, sandbox, end string, messages map[string]string, outputs map[string]secret,
) {
	t, producer, consumer := s.t, sandbox+"/make", sandbox+"/use"
	made, used := outputs[producer], outputs[consumer]
	if one.reason == "" {
		assert.Equal(t, "Complete", end, sandbox)
		assert.Len(t, s.times(t, sandbox, "make", "start"), 1, "runs of %s", producer)
		assert.Len(t, s.times(t, sandbox, "use", "start"), 1, "runs of %s", consumer)
		assert.Equal(t, valueOf(one, sandbox), string(made.Data["value"]), producer)
		assert.Equal(t, sha256Line(valueOf(one, sandbox)), string(used.Data["seen"]), consumer)
		return
	}
	assert.Equal(t, "Failed", end, sandbox)
	assert.Empty(t, made.Data, producer)
	assert.Empty(t, used.Data, consumer)
	assert.Empty(t, made.Metadata.Annotations[contract.PublishedKey], producer)
	assert.LessOrEqual(t, len(s.times(t, sandbox, "make", "start")), 1, "runs of %s", producer)
	assert.Empty(t, s.times(t, sandbox, "use", "start"), "%s must not run", consumer)
	said := messages[producer]
	if s.engine == tekton.Name { // whose termination messages differ
		said += s.logs(sandbox)
	}
	reason := one.reason
	if s.engine == tekton.Name || one.edit != nil { // main is the engine's program, which runs the command
		reason = one.engineReason()
	}
	assert.Contains(t, said, reason, producer)
	assert.NotContains(t, said, "value of", "a message must not contain a value")
}

// engineReason returns the reason without the container and its exit code.
func (f fault) engineReason() string {
	if f.edit != nil {
		return "no such file or directory"
	}
	_, reason, found := strings.Cut(f.reason, ": ")
	if code, rest, hasCode := strings.Cut(reason, ":"); found && hasCode && strings.Trim(code, "0123456789") == "" {
		return strings.TrimSpace(rest)
	}
	return f.reason
}

// recentlyStarted is longer than the time in which Argo Workflows recreates a missing Pod.
const recentlyStarted = 12 * time.Second

// A killed script is a failed try: none of its outputs are published, and its consumer does not start. With retries there is
// another try. A deleted Pod with data is always created again.
func TestEngineKilledPod(t *testing.T) {
	onEngines(t, func(t *testing.T, name string) {
		t.Helper()
		s := newEngineNamespace(t, name)
		plugin := s.plugin("killed@1.0.0", s.overlay(),
			step{name: "make", script: script("make", good+"\nawait go-$SIGNADOT_SANDBOX_NAME"), outputs: []string{"value"}},
			step{name: "use", script: script("use", "true"), reads: []string{"make.value"}})
		kills := map[string]func(sandbox string){
			"runner": func(sandbox string) { require.NoError(t, syscall.Kill(s.runner(sandbox), syscall.SIGKILL)) },
			"pod": func(sandbox string) {
				must(t, "", "delete", "pods", "--namespace", s.name, "--grace-period=0", "--force",
					"--selector", contract.SandboxKey+"="+sandbox+","+contract.StepKey+"=make")
			},
		}
		for cause := range kills {
			s.apply(s.render(nil, plugin, sandbox(cause+"-once", "killed", nil)))
			s.apply(s.render([]string{"--retries", "2"}, plugin, sandbox(cause+"-retried", "killed", nil)))
		}
		for cause, kill := range kills {
			for _, one := range []string{cause + "-once", cause + "-retried"} {
				s.started("make", one)
				time.Sleep(recentlyStarted)
				runner := s.runner(one)
				kill(one)
				require.Eventually(t, func() bool { return syscall.Kill(runner, 0) != nil }, timeout, 100*time.Millisecond)
				s.open(t, "go-"+one) // for the next run
			}
		}
		ends, outputs := s.ended(), s.outputs()
		for cause := range kills {
			for _, one := range []string{cause + "-once", cause + "-retried"} {
				if one == "runner-once" {
					assert.Equal(t, "Failed", ends[one+"/"], one)
					assert.Empty(t, outputs[one+"/make"].Data, one)
					assert.Equal(t, map[string]int{"make": 1}, s.runs(one), one)
					continue
				}
				assert.Equal(t, "Complete", ends[one+"/"], one)
				assert.Equal(t, "value of "+one, string(outputs[one+"/make"].Data["value"]))
				assert.Equal(t, map[string]int{"make": 2, "use": 1}, s.runs(one), one)
			}
		}
	})
}

// A step is not successful if Argo Workflows misses its end, even if all of its containers succeeded.
func TestEngineUnreportedEnd(t *testing.T) {
	installEngines(t)
	s := newEngineNamespace(t, argo.Name)
	plugin := s.plugin("unreported@1.0.0", s.overlay(),
		step{name: "make", script: script("make", good), outputs: []string{"value"}},
		step{name: "use", script: script("use", "true"), reads: []string{"make.value"}})
	manifest := s.render(nil, plugin, sandbox("unreported", "unreported", nil))
	denied := strings.ReplaceAll(manifest, "- workflowtaskresults\n", "- nothing\n")
	require.NotEqual(t, manifest, denied)
	s.apply(denied)
	assert.Equal(t, map[string]string{"unreported/": "Failed"}, s.ended())
	assert.Equal(t, map[string]int{"make": 1}, s.runs("unreported"))
}

// started waits until the scripts of a step of sandboxes have started.
func (s *testNamespace) started(step string, sandboxes ...string) {
	s.t.Helper()
	eventually(s.t, func() (string, error) {
		var waiting []string
		for _, one := range sandboxes {
			if len(s.times(s.t, one, step, "start")) == 0 {
				waiting = append(waiting, one)
			}
		}
		return strings.Join(waiting, " "), nil
	})
}

// A failed script is retried as often as retries specifies.
func TestEngineRetries(t *testing.T) {
	onEngines(t, func(t *testing.T, name string) {
		t.Helper()
		s := newEngineNamespace(t, name)
		const third = `[ "$(grep -c "^$SIGNADOT_SANDBOX_NAME make start" /shared/events)" = 3 ] || exit 1` + "\n" + good
		plugin := s.plugin("again@1.0.0", s.overlay(),
			step{name: "make", script: script("make", third), outputs: []string{"value"}},
			step{name: "use", script: script("use", "true"), reads: []string{"make.value"}})
		s.apply(s.render([]string{"--retries", "2"}, plugin, sandbox("enough", "again", nil)))
		s.apply(s.render([]string{"--retries", "1"}, plugin, sandbox("few", "again", nil)))
		assert.Equal(t, map[string]string{"enough/": "Complete", "few/": "Failed"}, s.ended())
		assert.Equal(t, map[string]int{"make": 3, "use": 1}, s.runs("enough"))
		assert.Equal(t, map[string]int{"make": 2}, s.runs("few"))
	})
}

// The API server hangs, or is killed and restarted, while producers publish; controllers are killed while steps run. Every
// script runs once, and every consumer reads its producer's value. There is one retry, since the executor of Argo Workflows
// gives up if an API server denies a request just after its start.
func TestEngineOutage(t *testing.T) {
	onEngines(t, func(t *testing.T, name string) {
		t.Helper()
		for cause, act := range map[string]func(t *testing.T, open func()){
			"hang": func(t *testing.T, open func()) {
				t.Helper()
				server := apiServer(t)
				require.NoError(t, syscall.Kill(server, syscall.SIGSTOP))
				open()
				time.Sleep(20 * time.Second)
				require.NoError(t, syscall.Kill(server, syscall.SIGCONT))
			},
			"kill": func(t *testing.T, open func()) {
				t.Helper()
				open()
				time.Sleep(200 * time.Millisecond)
				nodeScript(t, "restart", "apiserver", "KILL")
			},
			"controller": func(t *testing.T, open func()) {
				t.Helper()
				controllers := map[string]string{argo.Name: "argo", tekton.Name: "tekton-pipelines"}[name]
				must(t, "", "delete", "pods", "--all", "--namespace", controllers, "--grace-period=0", "--force")
				open()
			},
		} {
			t.Run(cause, func(t *testing.T) {
				lockNodeExclusive(t)
				s := newEngineNamespace(t, name)
				s.outage(s.outagePlugin(), cause, []string{"--retries", "2"}, func() { act(t, func() { s.open(t, "go-"+cause) }) })
			})
		}
	})
}

// outagePlugin is a plugin whose step "make" waits for the file go-NAME of sandboxes NAME-N.
func (s *testNamespace) outagePlugin() object {
	return s.plugin("outage@1.0.0", s.overlay(),
		step{name: "make", script: script("make", "await go-${SIGNADOT_SANDBOX_NAME%-*}\n"+good), outputs: []string{"value"}},
		step{name: "use", script: script("use", "sha256sum < /inputs/make.value > /outputs/seen"),
			reads: []string{"make.value"}, outputs: []string{"seen"}, files: true})
}

// outage runs sandboxes and calls cause when their producers are about to publish.
func (s *testNamespace) outage(plugin object, name string, arguments []string, cause func()) {
	const sandboxes = 4
	t, documents := s.t, []object{plugin}
	var names []string
	for i := range sandboxes {
		names = append(names, fmt.Sprintf("%s-%d", name, i))
		documents = append(documents, sandbox(names[i], "outage", nil))
	}
	s.apply(s.render(arguments, documents...))
	s.started("make", names...)
	cause()
	ends, outputs := s.ended(), s.outputs()
	for _, one := range names {
		for _, step := range []string{"make", "use"} {
			assert.Equal(t, "Complete", ends[s.endOf(one, step)], "%s/%s", one, step)
			assert.Len(t, s.times(t, one, step, "start"), 1, "runs of %s/%s", one, step)
		}
		assert.Equal(t, "value of "+one, string(outputs[one+"/make"].Data["value"]))
		assert.Equal(t, sha256Line("value of "+one), string(outputs[one+"/use"].Data["seen"]))
	}
}

// endOf returns the key in the result of ended for a step.
func (s *testNamespace) endOf(sandbox, step string) string {
	if s.engine == "" || s.engine == jobs.Name {
		return sandbox + "/" + step
	}
	return sandbox + "/"
}
