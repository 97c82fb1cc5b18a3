package document_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// random is a phase of n steps, each of which reads from up to three of the steps that rank below it, declared in
// a random order. The rank of a step is its name.
func random(rng *rand.Rand, n int) *v1alpha1.ResourcePluginSpec {
	steps := make([]v1alpha1.Step, n)
	for rank := range steps {
		steps[rank] = v1alpha1.Step{Name: fmt.Sprint("s", rank), Outputs: []v1alpha1.Output{{Name: "x"}}}
		for range rng.IntN(4) {
			if rank > 0 {
				readsFrom(&steps[rank], rng.IntN(rank))
			}
		}
	}
	rng.Shuffle(n, func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	return &v1alpha1.ResourcePluginSpec{Create: steps}
}

func readsFrom(step *v1alpha1.Step, rank int) {
	step.Inputs = append(step.Inputs, v1alpha1.Input{ValueFromStep: &v1alpha1.StepOutput{Name: fmt.Sprint("s", rank), Output: "x"}})
}

// waits tells for each step, by name, which it waits for.
func waits(spec *v1alpha1.ResourcePluginSpec) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, step := range spec.Create {
		all[step.Name] = map[string]bool{}
		for _, input := range step.Inputs {
			all[step.Name][input.ValueFromStep.Name] = true
		}
	}
	return all
}

func TestOrderOfRandomGraphs(t *testing.T) {
	t.Parallel()
	rng := checkout.Random(t)
	for range 300 {
		spec := random(rng, 1+rng.IntN(40))
		g := document.NewGraph(spec)
		order := g.Order(v1alpha1.PhaseCreate)
		require.Len(t, order, len(spec.Create), "nothing is lost")
		require.Empty(t, g.Cycles())
		assertOrdered(t, spec, order)
		require.Equal(t, order, document.NewGraph(spec).Order(v1alpha1.PhaseCreate), "the same every time")
	}
}

// assertOrdered checks the definition: at each place stands the first declared step of those whose producers all stand
// before.
func assertOrdered(t *testing.T, spec *v1alpha1.ResourcePluginSpec, order []document.StepRef) {
	t.Helper()
	needs, done := waits(spec), map[string]bool{}
	for _, ref := range order {
		for i, step := range spec.Create {
			ready := !done[step.Name]
			for producer := range needs[step.Name] {
				ready = ready && done[producer]
			}
			if ready {
				require.Equal(t, i, ref.Index)
				break
			}
		}
		done[spec.Create[ref.Index].Name] = true
	}
}

func TestOneMoreReadClosesACycle(t *testing.T) {
	t.Parallel()
	rng := checkout.Random(t)
	for range 300 {
		n := 2 + rng.IntN(30)
		spec := random(rng, n)
		// A chain through all ranks, then an edge back from a low rank to a higher one: there is a cycle.
		low := rng.IntN(n - 1)
		high := low + 1 + rng.IntN(n-low-1)
		for i := range spec.Create {
			var rank int
			_, err := fmt.Sscanf(spec.Create[i].Name, "s%d", &rank)
			require.NoError(t, err)
			if rank > 0 {
				readsFrom(&spec.Create[i], rank-1)
			}
			if rank == low {
				readsFrom(&spec.Create[i], high)
			}
		}
		g := document.NewGraph(spec)
		cycles := g.Cycles()
		require.Len(t, cycles, 1)
		assertCycle(t, spec, cycles[0])
		require.Less(t, len(g.Order(v1alpha1.PhaseCreate)), n)
	}
}

func assertCycle(t *testing.T, spec *v1alpha1.ResourcePluginSpec, cycle document.Cycle) {
	t.Helper()
	needs := waits(spec)
	for i, name := range cycle.Names {
		next := cycle.Names[(i+1)%len(cycle.Names)]
		require.True(t, needs[name][next], "%s waits for %s in %s", name, next, cycle)
		require.Equal(t, name, spec.Create[cycle.Steps[i].Index].Name)
	}
	second := cycle.Names[1%len(cycle.Names)]
	require.Equal(t, second, spec.Create[cycle.Steps[0].Index].Inputs[cycle.Input].ValueFromStep.Name)
}

// Steps that nothing ties together may be declared in any order: what each waits for stays the same.
func TestPermutingStepsKeepsTheirDepth(t *testing.T) {
	t.Parallel()
	rng := checkout.Random(t)
	depths := func(spec *v1alpha1.ResourcePluginSpec) map[string]int {
		all := map[string]int{}
		for i, depth := range document.NewGraph(spec).Depth(v1alpha1.PhaseCreate) {
			all[spec.Create[i].Name] = depth
		}
		return all
	}
	for range 100 {
		spec := random(rng, 1+rng.IntN(30))
		before := depths(spec)
		rng.Shuffle(len(spec.Create), func(i, j int) {
			spec.Create[i], spec.Create[j] = spec.Create[j], spec.Create[i]
		})
		assert.Equal(t, before, depths(spec))
		assertOrdered(t, spec, document.NewGraph(spec).Order(v1alpha1.PhaseCreate))
	}
}

// FuzzGraph draws any graph at all: each pair of bytes is a step that reads from another.
func FuzzGraph(f *testing.F) {
	f.Add([]byte{1, 0, 2, 1, 0, 2}, byte(3))
	f.Add([]byte{0, 0}, byte(1))
	f.Add([]byte{0, 9, 4, 1}, byte(2))
	f.Fuzz(func(t *testing.T, reads []byte, split byte) {
		steps := make([]v1alpha1.Step, 16)
		for i := range steps {
			steps[i] = v1alpha1.Step{Name: fmt.Sprint("s", i), Outputs: []v1alpha1.Output{{Name: "x"}}}
		}
		for i := 0; i+1 < len(reads); i += 2 {
			readsFrom(&steps[reads[i]%16], int(reads[i+1]%20))
		}
		create := int(split) % 17
		g := document.NewGraph(&v1alpha1.ResourcePluginSpec{Create: steps[:create], Delete: steps[create:]})
		ordered := len(g.Order(v1alpha1.PhaseCreate)) + len(g.Order(v1alpha1.PhaseDelete))
		assert.Equal(t, ordered == len(steps), len(g.Cycles()) == 0, "a step is left out if and only if there is a cycle")
	})
}

// A chain, a fan and a ring of many steps: each is one pass. The old enemy is a search a step.
func BenchmarkGraph(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		shapes := map[string]func(i int) int{
			"chain backwards": func(i int) int { return i + 1 },
			"fan":             func(int) int { return 0 },
			"ring":            func(i int) int { return (i + 1) % n },
		}
		for _, shape := range []string{"chain backwards", "fan", "ring"} {
			spec := &v1alpha1.ResourcePluginSpec{Create: make([]v1alpha1.Step, n)}
			for i := range spec.Create {
				spec.Create[i] = v1alpha1.Step{Name: fmt.Sprint("s", i), Outputs: []v1alpha1.Output{{Name: "x"}}}
				if to := shapes[shape](i); to < n && (shape != "fan" || i > 0) {
					readsFrom(&spec.Create[i], to)
				}
			}
			b.Run(fmt.Sprintf("%s/%d", shape, n), func(b *testing.B) {
				for b.Loop() {
					g := document.NewGraph(spec)
					g.Order(v1alpha1.PhaseCreate)
					g.Cycles()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/step")
			})
		}
	}
}
