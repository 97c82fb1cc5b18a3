package document_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// draw builds a plugin from lines such as `c: a.x b.y`: step c reads output x of a and y of b. A line `---` starts the
// delete phase. Every step has the outputs x and y.
func draw(lines string) *v1alpha1.ResourcePluginSpec {
	spec := &v1alpha1.ResourcePluginSpec{}
	phase := &spec.Create
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		line = strings.TrimSpace(line)
		if line == "---" {
			phase = &spec.Delete
			continue
		}
		name, reads, _ := strings.Cut(line, ":")
		step := v1alpha1.Step{Name: name, Outputs: []v1alpha1.Output{{Name: "x"}, {Name: "y"}}}
		for _, read := range strings.Fields(reads) {
			producer, output, _ := strings.Cut(read, ".")
			step.Inputs = append(step.Inputs, v1alpha1.Input{
				Name: read, ValueFromStep: &v1alpha1.StepOutput{Name: producer, Output: output},
			})
		}
		*phase = append(*phase, step)
	}
	return spec
}

func names(spec *v1alpha1.ResourcePluginSpec, order []document.StepRef) string {
	var all []string
	for _, ref := range order {
		all = append(all, spec.Workflow(ref.Phase)[ref.Index].Name)
	}
	return strings.Join(all, " ")
}

func TestOrder(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ steps, create, delete string }{
		"nothing":                 {"", "", ""},
		"declaration order":       {"a:\nb:\nc:", "a b c", ""},
		"a chain backwards":       {"c: b.x\nb: a.x\na:", "a b c", ""},
		"fan out and join":        {"d: b.x c.x\nc: a.x\nb: a.y\na:", "a c b d", ""},
		"ready steps in order":    {"z: m.x\ny:\nm:\na:", "y m z a", ""},
		"a step read twice":       {"b: a.x a.y a.x\na:", "a b", ""},
		"phases are apart":        {"b: a.x\na:\n---\nd: c.x a.x\nc:", "a b", "c d"},
		"a cycle is left out":     {"a: b.x\nb: a.x\nc:", "c", ""},
		"and what waits for it":   {"a: b.x\nb: a.x\nc: b.x\nd:", "d", ""},
		"dangling counts nothing": {"a: nobody.x b.z\nb:", "a b", ""},
	}
	for name, c := range cases {
		spec := draw(c.steps)
		g := document.NewGraph(spec)
		assert.Equal(t, c.create, names(spec, g.Order(v1alpha1.PhaseCreate)), name)
		assert.Equal(t, c.delete, names(spec, g.Order(v1alpha1.PhaseDelete)), name)
	}
}

func TestDepth(t *testing.T) {
	t.Parallel()
	g := document.NewGraph(draw("d: b.x c.x\nc: b.x\nb: a.y\na:\n---\ne: a.x d.x\nf: e.x e.y\ng: h.x\nh: g.x"))
	assert.Equal(t, []int{4, 3, 2, 1}, g.Depth(v1alpha1.PhaseCreate))
	assert.Equal(t, []int{1, 2, 0, 0}, g.Depth(v1alpha1.PhaseDelete))
}

func TestProducers(t *testing.T) {
	t.Parallel()
	spec := draw("a:\nb: a.y a.x a.y\n---\nc: b.x d.y a.x b.y\nd: none.x")
	g := document.NewGraph(spec)
	got := func(phase v1alpha1.Phase, index int) string {
		return names(spec, g.Producers(document.StepRef{Phase: phase, Index: index}))
	}
	assert.Empty(t, got(v1alpha1.PhaseCreate, 0))
	assert.Equal(t, "a", got(v1alpha1.PhaseCreate, 1))
	assert.Equal(t, "b d a", got(v1alpha1.PhaseDelete, 0))
	assert.Empty(t, got(v1alpha1.PhaseDelete, 1))
}

func TestDangling(t *testing.T) {
	t.Parallel()
	g := document.NewGraph(draw("a: nobody.x\nb: a.x a.z gone.x\n---\ngone: a.x\nlast: gone.q b.x"))
	at := func(phase v1alpha1.Phase, index, input int, fault document.Fault) document.DanglingReference {
		return document.DanglingReference{Fault: fault, At: document.StepRef{Phase: phase, Index: index}, Input: input}
	}
	assert.Equal(t, []document.DanglingReference{
		at(v1alpha1.PhaseCreate, 0, 0, document.UnknownStep),
		at(v1alpha1.PhaseCreate, 1, 1, document.UnknownOutput),
		at(v1alpha1.PhaseCreate, 1, 2, document.CreateFromDelete),
		at(v1alpha1.PhaseDelete, 1, 0, document.UnknownOutput),
	}, g.Dangling())
}

func TestStepsOfOneNameAreFoundByTheirOutputs(t *testing.T) {
	t.Parallel()
	spec := draw("a:\nb: a.z\n---\na:")
	spec.Create[0].Outputs = nil
	spec.Create[1].Inputs[0].ValueFromStep.Output = "x"
	g := document.NewGraph(spec)
	assert.Equal(t, document.CreateFromDelete, g.Dangling()[0].Fault, "the delete phase's a has the output")
}

func TestCycles(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		steps string
		want  []string
	}{
		"none":                  {"b: a.x\na:", nil},
		"itself":                {"a: a.x", []string{"a → a"}},
		"two":                   {"a: b.x\nb: a.x", []string{"a → b → a"}},
		"three":                 {"a: c.x\nb: a.x\nc: b.x", []string{"a → c → b → a"}},
		"the shortest":          {"a: b.x\nb: c.x a.y\nc: a.x", []string{"a → b → a"}},
		"not who only waits":    {"w: a.x\na: b.x\nb: a.x", []string{"a → b → a"}},
		"two groups":            {"a: b.x\nb: a.x\nc: d.x\nd: c.x", []string{"a → b → a", "c → d → c"}},
		"one waits for another": {"c: a.x d.x\nd: c.x\na: b.x\nb: a.x", []string{"c → d → c", "a → b → a"}},
		"both phases":           {"a: a.x\n---\nd: d.x", []string{"a → a", "d → d"}},
		"a ring with a tail":    {"t: a.x\na: b.x\nb: c.x\nc: a.x t.x", []string{"t → a → b → c → t"}},
		"across phases":         {"a: d.x\n---\nd: a.x", nil},
	}
	for name, c := range cases {
		var got []string
		for _, cycle := range document.NewGraph(draw(c.steps)).Cycles() {
			got = append(got, cycle.String())
		}
		assert.Equal(t, c.want, got, name)
	}
}

func TestCycleNamesTheInputThatWaits(t *testing.T) {
	t.Parallel()
	cycles := document.NewGraph(draw("free:\na: free.x b.x b.y\nb: free.x a.x")).Cycles()
	assert.Len(t, cycles, 1)
	assert.Equal(t, 1, cycles[0].Input)
	assert.Equal(t, []document.StepRef{{Phase: v1alpha1.PhaseCreate, Index: 1}, {Phase: v1alpha1.PhaseCreate, Index: 2}}, cycles[0].Steps)
}
