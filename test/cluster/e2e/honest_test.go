//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// plainly is a plugin without outputs: "mk" creates with a param, "rm" deletes.
func (s *testNamespace) plainly(value string, arguments ...string) string {
	mk := step{name: "mk", script: script("mk", "")}.document()
	mk["inputs"] = []object{{"name": "value", "valueFromSandbox": true, "as": object{"env": "VALUE"}}}
	plugin := s.plugin("plainly@1.0.0", s.overlay())
	plugin["spec"].(object)["create"] = []object{mk}
	plugin["spec"].(object)["delete"] = []object{step{name: "rm", script: script("rm", "")}.document()}
	return render(s.t, arguments, plugin, sandbox("plainly", "plainly", map[string]string{"value": value}))
}

// A complete Job is not Ready if the Job of another render, or of the other phase, has run since.
func TestReturnPlainSteps(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	p := newPage(s, "plainly")
	one, remove := s.plainly("one"), s.plainly("one", "--phases", "delete")
	p.write("one.yaml", one)
	apply := func(manifest string) {
		s.apply(manifest)
		must(t, "", "wait", "--namespace", s.name, "--for=condition=complete", "job", "--all", "--timeout=3m")
	}
	for _, manifest := range []string{one, s.plainly("two"), one} {
		apply(manifest)
	}
	assert.Equal(t, map[string]int{"mk": 2}, s.runs("plainly"))
	assert.Equal(t, "Stale", p.jsonStatus("one.yaml").Status, "two has run last")
	apply(remove)
	apply(one)
	assert.Equal(t, "Stale", p.jsonStatus("one.yaml").Status, "nothing exists")
}

// An output with a NUL byte fails the step that reads it as a variable, which names the output and not the value.
func TestReturnNoVariable(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	p := newPage(s, "binary")
	plugin := s.plugin("binary@1.0.0", s.overlay())
	plugin["spec"].(object)["create"] = []object{
		step{name: "make", script: script("make", `printf 'canary\000canary' > /outputs/value`), outputs: []string{"value"}}.document(),
		step{name: "use", script: script("use", ""), reads: []string{"make.value"}}.document(),
	}
	create := render(t, nil, plugin, sandbox("binary", "binary", nil))
	p.write("create.yaml", create)
	s.apply(create)
	report := p.jsonStatus("create.yaml", "--wait")
	assert.Equal(t, map[string]string{"make": "Ready", "use": "Failed"}, report.states())
	assert.Contains(t, p.bash("rplug status --render create.yaml || true"), `output "value" of step "make" has a NUL byte`)
	assert.Equal(t, map[string]int{"make": 1}, s.runs("binary"))
	assert.NotContains(t, must(t, "", "get", "pods,events", "--namespace", s.name, "--output=yaml"), "canary\\0")
}

// A teardown that reads an output which was never published is blocked, and deletes the rest once the step is given up.
func TestReturnHalfCreated(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	p := newPage(s, "half")
	plugin := s.plugin("half@1.0.0", s.overlay())
	plugin["spec"].(object)["create"] = []object{
		step{name: "make", script: script("make", "exit 1"), outputs: []string{"value"}}.document(),
	}
	plugin["spec"].(object)["delete"] = []object{
		step{name: "drop", script: script("drop", ""), reads: []string{"make.value"}}.document(),
		step{name: "other", script: script("other", "")}.document(),
	}
	of := sandbox("half", "half", nil)
	p.write("create.yaml", render(t, nil, plugin, of))
	p.bash("kubectl apply -f create.yaml; rplug status --wait --render create.yaml || true")
	p.write("delete.yaml", render(t, []string{"--phases", "delete"}, plugin, of))
	p.bash("kubectl apply -f delete.yaml")
	report := p.jsonStatus("delete.yaml", "--wait")
	assert.Equal(t, "Blocked", report.Status)
	for _, step := range report.Steps {
		if strings.HasSuffix(step.Step, "/drop") {
			assert.Contains(t, step.Detail, `reads "value" of create step "make"`)
			assert.Contains(t, step.Detail, "resourceplugins.dev/skip-delete: r/drop")
		}
	}
	of["metadata"].(object)["annotations"] = map[string]string{"resourceplugins.dev/skip-delete": "r/drop"}
	p.write("delete.yaml", render(t, []string{"--phases", "delete"}, plugin, of))
	p.bash("kubectl apply -f delete.yaml")
	assert.Equal(t, "Ready", p.jsonStatus("delete.yaml", "--wait").Status)
	assert.Equal(t, map[string]int{"make": 1, "other": 1}, s.runs("half"))
	assert.Empty(t, s.outputs())
}
