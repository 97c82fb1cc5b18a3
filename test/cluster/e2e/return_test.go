//go:build e2e

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// returning is a plugin that publishes a param: "make" publishes it, "use" publishes the value of "make", and "tell" has no
// outputs.
func (s *testNamespace) returning() object {
	s.t.Helper()
	shareSandbox(s.t, "returned")
	param := []object{{"name": "value", "valueFromSandbox": true, "as": object{"env": "VALUE"}}}
	makes := step{name: "make", script: script("make", `printf %s "$VALUE" > /outputs/value`), outputs: []string{"value"}}.document()
	makes["inputs"] = param
	tells := step{name: "tell", script: script("tell", "")}.document()
	tells["inputs"] = param
	plugin := s.plugin("returning@1.0.0", s.overlay())
	plugin["spec"].(object)["create"] = []object{makes, tells, step{
		name: "use", script: script("use", `printf %s "$MAKE_VALUE" > /outputs/seen`), reads: []string{"make.value"},
		outputs: []string{"seen"},
	}.document()}
	plugin["spec"].(object)["delete"] = []object{
		step{name: "drop", script: script("drop", ""), reads: []string{"make.value"}}.document(),
	}
	return plugin
}

// returned renders the plugin with a value of the param.
func (s *testNamespace) returned(value string, arguments ...string) string {
	return render(s.t, arguments, s.returning(), sandbox("returned", "returning", map[string]string{"value": value}))
}

// requireValue checks that both steps have published the value.
func (s *testNamespace) requireValue(want string) {
	s.t.Helper()
	outputs := s.outputs()
	assert.Equal(s.t, want, string(outputs["returned/make"].Data["value"]))
	assert.Equal(s.t, want, string(outputs["returned/use"].Data["seen"]))
}

// deleteOutputs deletes the Secret of the step make.
func (s *testNamespace) deleteOutputs() {
	s.t.Helper()
	must(s.t, "", "delete", "secret", "--namespace", s.name, "--selector", contract.StepKey+"=make")
}

// With the page's commands, returning to an earlier render runs its steps again, even after a teardown. Applying a render
// again runs nothing.
func TestReturnKubectl(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	p := newPage(s, "returned")
	for i, value := range []string{"one", "two", "one"} {
		p.write("create.yaml", s.returned(value))
		p.run("Apply")
		assert.Contains(t, p.run("Is it ready?"), "\nstatus: Ready\n")
		s.requireValue(value)
		p.run("Apply")
		p.ready()
		assert.Equal(t, map[string]int{"make": i + 1, "use": i + 1, "tell": i + 1}, s.runs("returned"), value)
	}

	create, remove := s.returned("one"), s.returned("one", "--phases", "delete")
	p.write("create.yaml", remove)
	p.run("Apply")
	p.ready()
	assert.Empty(t, s.outputs())
	p.write("create.yaml", create)
	p.run("Apply")
	assert.Contains(t, p.run("Is it ready?"), "\nstatus: Ready\n")
	s.requireValue("one")
	assert.Equal(t, map[string]int{"make": 4, "use": 4, "tell": 4, "drop": 1}, s.runs("returned"))

	p.write("delete.yaml", remove)
	p.run("Teardown")
	assert.Equal(t, map[string]int{"make": 4, "use": 4, "tell": 4, "drop": 2}, s.runs("returned"))
	left := must(t, "", "get", "jobs,pods,secrets,configmaps,serviceaccounts,roles,rolebindings", "--namespace", s.name,
		"--output=name", "--selector", contract.SandboxKey)
	assert.Empty(t, left)
}

// A Secret that was deleted and applied again is stale; the page's commands run its step again, then those that have read it.
func TestReturnDeletedSecret(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	p := newPage(s, "returned")
	p.write("create.yaml", s.returned("one"))
	p.run("Apply")
	p.ready()
	s.succeeded(3) // a step is ready when it has published, before its Job is complete
	s.deleteOutputs()
	assert.Equal(t, "Stale", p.status("create.yaml").Status)
	p.run("Apply")
	report := p.status("create.yaml", "--wait")
	assert.Equal(t, "Stale", report.Status, "it must not wait")
	assert.Equal(t, map[string]string{"make": "Stale", "use": "Ready", "tell": "Ready"}, report.states())
	p.run("Run steps again")
	report = p.status("create.yaml", "--wait")
	assert.Equal(t, map[string]string{"make": "Ready", "use": "Stale", "tell": "Ready"}, report.states(), "it has read the old outputs")
	p.run("Run steps again")
	p.ready()
	s.requireValue("one")
	assert.Equal(t, map[string]int{"make": 2, "use": 2, "tell": 1}, s.runs("returned"))
}

// Without the page's second command, steps that are not ready are reported.
func TestReturnWithoutPruning(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	p := newPage(s, "returned")
	for _, value := range []string{"one", "two"} {
		p.write("create.yaml", s.returned(value))
		s.apply(s.returned(value))
		p.ready()
	}
	p.write("one.yaml", s.returned("one"))
	assert.Equal(t, "Stale", p.status("one.yaml").Status, "another render is applied")
	s.apply(s.returned("one"))
	assert.Equal(t, "Stale", p.status("one.yaml", "--wait").Status)
	s.requireValue("two")
	p.write("three.yaml", s.returned("three"))
	assert.Equal(t, "Missing", p.status("three.yaml").Status)
}

// With every tool, returning to an earlier render runs the steps or is reported as stale; so is a deleted Secret.
func TestReturnDelivered(t *testing.T) {
	t.Parallel()
	for _, tool := range deliveries {
		if tool.delivery == "kubectl" {
			continue
		}
		t.Run(tool.name, func(t *testing.T) {
			s := newNamespace(t)
			p := newPage(s, "returned")
			deliver := func(manifest string) string {
				tool.deliver(t, s, manifest)
				if tool.delivery == "argocd" || tool.delivery == "flux" {
					s.prune(manifest)
				}
				p.write("create.yaml", manifest)
				return p.status("create.yaml", "--wait", "--timeout", timeout.String()).Status
			}
			arguments := []string{"--delivery", tool.delivery}
			for _, value := range []string{"one", "two", "one"} {
				require.Equal(t, "Ready", deliver(s.returned(value, arguments...)))
				s.requireValue(value)
			}
			require.Equal(t, "Ready", deliver(s.returned("one", append(arguments, "--phases", "delete")...)))
			assert.Empty(t, s.outputs())
			require.Equal(t, "Ready", deliver(s.returned("one", arguments...)))
			s.requireValue("one")

			s.deleteOutputs()
			require.Equal(t, "Stale", deliver(s.returned("one", arguments...)))
			for line := range strings.Lines(p.scripts["Run steps again"]) {
				if !strings.HasPrefix(line, "kubectl apply") { // the tool applies
					p.scripts["delete"] += line
				}
			}
			p.run("delete")
			require.Equal(t, "Stale", deliver(s.returned("one", arguments...)), "a step has read the old outputs")
			p.run("delete")
			require.Equal(t, "Ready", deliver(s.returned("one", arguments...)))
			s.requireValue("one")
			assert.Equal(t, map[string]int{"make": 5, "use": 5, "tell": 4, "drop": 1}, s.runs("returned"))
		})
	}
}

// prune deletes the Jobs that are not in a render, as the controllers of Argo CD and Flux do.
func (s *testNamespace) prune(manifest string) {
	s.t.Helper()
	jobs, err := list[workload](s.name, "jobs")
	require.NoError(s.t, err)
	for _, one := range jobs {
		if !strings.Contains(manifest, "\n  name: "+one.Metadata.Name+"\n") {
			must(s.t, "", "delete", "job", one.Metadata.Name, "--namespace", s.name)
		}
	}
}

// A step that runs again replaces its outputs: the steps that have read them are stale until the command in the report has
// run them, and those that follow, again.
func TestReturnReplacedOutputs(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	p := newPage(s, "replaced")
	const count = `printf %s "$(grep -c ' make start ' /shared/events)" > /outputs/value`
	tells := step{name: "tell", script: script("tell", "")}
	plugin := s.plugin("replaced@1.0.0", s.overlay(), step{name: "make", script: script("make", count), outputs: []string{"value"}},
		step{name: "use", script: script("use", `printf %s "$MAKE_VALUE" > /outputs/seen`), reads: []string{"make.value"}, outputs: []string{"seen"}},
		step{name: "only", script: script("only", `note "saw-$MAKE_VALUE"`), reads: []string{"make.value"}},
		step{name: "last", script: script("last", `note "saw-$USE_SEEN"`), reads: []string{"use.seen"}}, tells)
	p.write("create.yaml", render(t, nil, plugin, sandbox("replaced", "replaced", nil)))
	p.run("Apply")
	p.ready()
	must(t, "", "delete", "job,secret", "--namespace", s.name, "--selector", contract.StepKey+"=make")
	p.run("Apply")
	report := p.status("create.yaml", "--wait", "--timeout", timeout.String())
	assert.Equal(t, map[string]string{"make": "Ready", "use": "Stale", "only": "Stale", "last": "Ready", "tell": "Ready"}, report.states())
	assert.Equal(t, "Stale", p.found().Status)
	assert.Equal(t, map[string]int{"make": 2, "use": 1, "only": 1, "last": 1, "tell": 1}, s.runs("replaced"))

	for _, step := range report.Steps {
		if _, command, isStale := strings.Cut(step.Detail, "to run it again: "); isStale {
			p.bash(strings.TrimSuffix(command, ", then apply"))
		}
	}
	p.run("Apply")
	p.ready()
	assert.Equal(t, "2", string(s.outputs()["replaced/use"].Data["seen"]))
	assert.Equal(t, map[string]int{"make": 2, "use": 2, "only": 2, "last": 2, "tell": 1}, s.runs("replaced"))
	for _, name := range []string{"only", "last"} {
		assert.Len(t, s.times(t, "replaced", name, "saw-2"), 1, name)
	}

	// A key that was removed by hand. A step is ready as soon as it has published; its Job ends later.
	must(t, "", "wait", "--namespace", s.name, "--for=condition=complete", "job", "--all", "--timeout=3m")
	must(t, "", "patch", "secret", "--namespace", s.name, must(t, "", "get", "secret", "--namespace", s.name, "--selector",
		contract.StepKey+"=use", "--output=jsonpath={.items[0].metadata.name}"), "--type=json", "--patch=[{\"op\":\"remove\",\"path\":\"/data/seen\"}]")
	report = statusReport{}
	stdout, stderr, _ := execute(p.command("rplug status -o json --render create.yaml"), "")
	require.NoError(t, json.Unmarshal([]byte(stdout), &report), stderr)
	assert.Equal(t, map[string]string{"make": "Ready", "use": "Stale", "only": "Ready", "last": "Ready", "tell": "Ready"}, report.states())
	assert.Equal(t, "Stale", p.found().Status)
}
