package workflow_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/pkg/plugin"
	"github.com/resource-plugins/krm-functions/pkg/workflow"
)

// draw builds a plugin from lines such as `c: a.x b.y`: step c reads output x of a and y of b. A line `---` starts the
// delete phase. Every step has the outputs x and y.
func draw(lines string) *plugin.Spec {
	spec := &plugin.Spec{}
	phase := &spec.Create
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		line = strings.TrimSpace(line)
		if line == "---" {
			phase = &spec.Delete
			continue
		}
		name, reads, _ := strings.Cut(line, ":")
		step := plugin.Step{Name: name, Outputs: []plugin.Output{{Name: "x"}, {Name: "y"}}}
		for _, read := range strings.Fields(reads) {
			producer, output, _ := strings.Cut(read, ".")
			step.Inputs = append(step.Inputs, plugin.Input{
				Name: read, ValueFromStep: &plugin.StepOutput{Name: producer, Output: output},
			})
		}
		*phase = append(*phase, step)
	}
	return spec
}

func names(spec *plugin.Spec, order []plugin.StepRef) string {
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
		g := workflow.New(spec)
		assert.Equal(t, c.create, names(spec, g.Order(plugin.Create)), name)
		assert.Equal(t, c.delete, names(spec, g.Order(plugin.Delete)), name)
	}
}

func TestDepth(t *testing.T) {
	t.Parallel()
	g := workflow.New(draw("d: b.x c.x\nc: b.x\nb: a.y\na:\n---\ne: a.x d.x\nf: e.x e.y\ng: h.x\nh: g.x"))
	assert.Equal(t, []int{4, 3, 2, 1}, g.Depth(plugin.Create))
	assert.Equal(t, []int{1, 2, 0, 0}, g.Depth(plugin.Delete))
}

func TestProducers(t *testing.T) {
	t.Parallel()
	spec := draw("a:\nb: a.y a.x a.y\n---\nc: b.x d.y a.x b.y\nd: none.x")
	g := workflow.New(spec)
	got := func(phase plugin.Phase, index int) string {
		var all []string
		for _, p := range g.Producers(plugin.StepRef{Phase: phase, Index: index}) {
			all = append(all, names(spec, []plugin.StepRef{p.Step})+"="+strings.Join(p.Outputs, ","))
		}
		return strings.Join(all, " ")
	}
	assert.Empty(t, got(plugin.Create, 0))
	assert.Equal(t, "a=y,x", got(plugin.Create, 1))
	assert.Equal(t, "b=x,y d=y a=x", got(plugin.Delete, 0))
	assert.Empty(t, got(plugin.Delete, 1))
}

func TestDangling(t *testing.T) {
	t.Parallel()
	g := workflow.New(draw("a: nobody.x\nb: a.x a.z gone.x\n---\ngone: a.x\nlast: gone.q b.x"))
	at := func(phase plugin.Phase, index, input int, fault workflow.Fault) workflow.Dangle {
		return workflow.Dangle{Fault: fault, At: plugin.StepRef{Phase: phase, Index: index}, Input: input}
	}
	assert.Equal(t, []workflow.Dangle{
		at(plugin.Create, 0, 0, workflow.UnknownStep),
		at(plugin.Create, 1, 1, workflow.UnknownOutput),
		at(plugin.Create, 1, 2, workflow.CreateFromDelete),
		at(plugin.Delete, 1, 0, workflow.UnknownOutput),
	}, g.Dangling())
}

func TestStepsOfOneNameAreFoundByTheirOutputs(t *testing.T) {
	t.Parallel()
	spec := draw("a:\nb: a.z\n---\na:")
	spec.Create[0].Outputs = nil
	spec.Create[1].Inputs[0].ValueFromStep.Output = "x"
	g := workflow.New(spec)
	assert.Equal(t, workflow.CreateFromDelete, g.Dangling()[0].Fault, "the delete phase's a has the output")
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
		for _, cycle := range workflow.New(draw(c.steps)).Cycles() {
			got = append(got, cycle.String())
		}
		assert.Equal(t, c.want, got, name)
	}
}

func TestCycleNamesTheInputThatWaits(t *testing.T) {
	t.Parallel()
	cycles := workflow.New(draw("free:\na: free.x b.x b.y\nb: free.x a.x")).Cycles()
	assert.Len(t, cycles, 1)
	assert.Equal(t, 1, cycles[0].Input)
	assert.Equal(t, []plugin.StepRef{{Phase: plugin.Create, Index: 1}, {Phase: plugin.Create, Index: 2}}, cycles[0].Steps)
}
