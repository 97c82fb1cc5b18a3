//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
)

// fan is a plugin with a step "first" that "left" and "right" read; tag is part of the script of "right".
func (s *testNamespace) fan(tag string) object {
	const value = `head -c 16 /dev/urandom | sha256sum > /outputs/value`
	from := func(name, body string) step {
		return step{name: name, script: script(name, body), reads: []string{"first.value"}, outputs: []string{"value"}}
	}
	return s.plugin("fan@1.0.0", s.overlay(),
		step{name: "first", script: script("first", value), outputs: []string{"value"}},
		from("left", value+"\n"+`printf %s "$FIRST_VALUE" >> /outputs/value`),
		from("right", value+"\n: "+tag))
}

// runs returns how often each step of a sandbox has run.
func (s *testNamespace) runs(sandbox string) map[string]int {
	s.t.Helper()
	runs := map[string]int{}
	for _, e := range s.events(s.t) {
		if e.sandbox == sandbox && e.what == "start" {
			runs[e.step]++
		}
	}
	return runs
}

// data returns the published outputs.
func (s *testNamespace) data() map[string]map[string][]byte {
	s.t.Helper()
	found := map[string]map[string][]byte{}
	for key, one := range s.outputs() {
		found[key] = one.Data
	}
	return found
}

// Applying again, by any method, keeps all outputs and runs no published step. If a script changes, only its step runs
// again.
func TestReapply(t *testing.T) {
	t.Parallel()
	reapply(t, jobs.Name)
}

func reapply(t *testing.T, engineName string) {
	t.Helper()
	s := newNamespace(t)
	s.engine = engineName
	arguments := []string{"--engine", engineName}
	count := map[bool]int{true: 3, false: 1}[engineName == jobs.Name]
	once := map[string]int{"first": 1, "left": 1, "right": 1}
	manifest := render(t, arguments, s.fan("old"), sandbox("again", "fan", nil))
	s.apply(manifest)
	s.succeeded(count)
	published := s.data()
	require.Len(t, published, 3)
	for key, values := range published {
		require.Len(t, values["value"], map[bool]int{true: 136, false: 68}[key == "again/left"], key)
	}
	kept := func(t *testing.T) {
		t.Helper()
		s.succeeded(count)
		assert.Equal(t, published, s.data())
		assert.Equal(t, once, s.runs("again"))
	}

	annotated := strings.ReplaceAll(manifest, "metadata:\n  annotations:\n", "metadata:\n  annotations:\n    example.org/changed: really\n")
	require.NotEqual(t, manifest, annotated)
	for _, again := range []struct {
		how, manifest string
		arguments     []string
	}{
		{"client side", manifest, nil},
		{"changed annotation", annotated, nil},
		{"server side", manifest, []string{"--server-side", "--force-conflicts"}},
		{"other manager", annotated, []string{"--server-side", "--force-conflicts", "--field-manager=somebody-else"}},
		{"client side again", manifest, nil},
	} {
		s.apply(again.manifest, again.arguments...)
		t.Run(again.how, kept)
	}

	must(t, "", "delete", workloads[engineName], "--all", "--namespace", s.name)
	s.apply(manifest)
	t.Run("removed workloads", kept)

	s.apply(render(t, arguments, s.fan("new"), sandbox("again", "fan", nil)))
	s.succeeded(count) // the old and the new workload count as one
	assert.Equal(t, map[string]int{"first": 1, "left": 1, "right": 2}, s.runs("again"))
	changed := s.data()
	assert.Equal(t, published["again/first"], changed["again/first"])
	assert.Equal(t, published["again/left"], changed["again/left"])
	assert.NotEqual(t, published["again/right"], changed["again/right"])
	assert.Len(t, changed["again/right"]["value"], 68)
}

// A change of one script runs no plain step whose script is the same: with outputs in the plugin, and without.
func TestReapplyOneScript(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"recorded", "plain"} {
		t.Run(name, func(t *testing.T) {
			s := newNamespace(t)
			rendered := func(tag string) string {
				steps := []step{{name: "same", script: script("same", "")}, {name: "changed", script: script("changed", ": "+tag)}}
				if name == "recorded" {
					steps = append(steps, step{name: "make", script: script("make", good), outputs: []string{"value"}})
				}
				return render(t, nil, s.plugin("scripts@1.0.0", s.overlay(), steps...), sandbox("scripts", "scripts", nil))
			}
			want := map[string]int{"same": 1, "changed": 1}
			if name == "recorded" {
				want["make"] = 1
			}
			s.apply(rendered("one"))
			s.succeeded(len(want))
			assert.Equal(t, want, s.runs("scripts"))
			s.apply(rendered("two"))
			s.succeeded(len(want)) // both Jobs of the changed step count as one
			want["changed"] = 2
			assert.Equal(t, want, s.runs("scripts"))
		})
	}
}
