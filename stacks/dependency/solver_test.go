package dependency

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomProblem returns a problem that a search through all assignments can solve. Seeds differ in how much is asked.
func randomProblem(seed uint64) *problem {
	r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // the same problems in every run
	p := &problem{}
	nodes, most := 2+r.IntN(5), 1+r.IntN(4)
	strict := 2 + r.IntN(5) // one in so many variants does not fit
	crds := r.IntN(4)
	p.owners = make([][]variantID, crds)
	for n := range nodes {
		p.packages = append(p.packages, node{make([]variant, 1+r.IntN(most))})
		for v := range p.packages[n].variants {
			for crd := range crds {
				if r.IntN(8) == 0 {
					p.packages[n].variants[v].owns = append(p.packages[n].variants[v].owns, crd)
					p.owners[crd] = append(p.owners[crd], variantID{n, v})
				}
			}
		}
	}
	ask := func() int {
		a := ask{node: r.IntN(nodes + 1)}
		if a.node == nodes {
			a.node = 0
			if r.IntN(4) == 0 {
				a.node = -1
			}
		}
		for v := range most {
			if a.node >= 0 && v < len(p.packages[a.node].variants) && r.IntN(strict) > 0 {
				a.fits = append(a.fits, v)
			}
		}
		for i, known := range p.asks {
			if known.node == a.node && slices.Equal(known.fits, a.fits) {
				return i
			}
		}
		p.asks = append(p.asks, a)
		return len(p.asks) - 1
	}
	density := 1 + r.IntN(4)
	for n := range p.packages {
		for v := range p.packages[n].variants {
			for r.IntN(4) < density-1 && len(p.packages[n].variants[v].asks) < 4 {
				p.packages[n].variants[v].asks = append(p.packages[n].variants[v].asks, ask())
			}
		}
	}
	for range 1 + r.IntN(4) {
		p.requests = append(p.requests, ask())
	}
	return p
}

// The solver answers what a search through everything answers.
func TestSolverAnswersAsABruteForceSearch(t *testing.T) {
	t.Parallel()
	const problems = 20_000
	refused, backtracked := 0, 0
	for seed := range uint64(problems) {
		p := randomProblem(seed)
		want := bruteAnswer(p)
		s := newSolver(p, maxSteps)
		got, ok := s.solve()
		require.True(t, ok)
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(got), "seed %d: %+v", seed, p)
		if slices.Contains(want.accepted, false) {
			refused++
		}
		if s.learned > 0 {
			backtracked++
		}
	}
	t.Logf("of %d problems, %d have a request that is refused, and %d need learned clauses", problems, refused, backtracked)
	require.Greater(t, refused, problems/10)
	require.Greater(t, backtracked, problems/20)
}

// The solver explains a refusal by what remains if everything else is left out, one by one.
func TestConflictsAreThoseOfABruteForceSearch(t *testing.T) {
	t.Parallel()
	shared, cyclic, units := 0, 0, map[int]int{}
	for seed := range uint64(2_000) {
		p := randomProblem(seed)
		a := bruteAnswer(p)
		for r, accepted := range a.accepted {
			if accepted {
				continue
			}
			got, ok := explain(p, a.accepted, r, maxSteps)
			require.True(t, ok)
			want := bruteConflict(p, a.accepted, r)
			require.Equal(t, fmt.Sprint(want), fmt.Sprint(got.units), "seed %d: %+v", seed, p)
			units[len(want)]++
			if got.shared {
				shared++
			}
			if got.cyclic {
				cyclic++
			}
		}
	}
	t.Logf("%d about CRDs, %d about cycles, by the number of units: %v", shared, cyclic, units)
	require.Greater(t, shared, 10)
	require.Greater(t, cyclic, 10)
	require.Greater(t, units[4], 10)
}

// late returns packages that each need the next one and a leaf: the first version of each needs another leaf than the second
// one, which the last package of all needs. A search that goes back one step at a time tries every combination.
func late(length int) *problem {
	leaf := length
	p := &problem{packages: slices.Repeat([]node{{}}, length+1), asks: []ask{{leaf, []int{0}}, {leaf, []int{1}}}}
	for n := range length {
		variants := []variant{{asks: []int{0}}, {asks: []int{1}}}
		if n+1 == length {
			variants = variants[1:]
		}
		p.asks = append(p.asks, ask{n, []int{0, 1}[:len(variants)]})
		for v := range variants {
			if n+1 < length {
				variants[v].asks = append([]int{len(p.asks)}, variants[v].asks...)
			}
		}
		p.packages[n].variants = variants
	}
	p.packages[leaf].variants = make([]variant, 2)
	p.requests = []int{2}
	return p
}

// Ordinary conflicts take steps in proportion to what is asked.
func TestConflictsTakeFewSteps(t *testing.T) {
	t.Parallel()
	steps := func(length int) int {
		s := newSolver(late(length), maxSteps)
		a, ok := s.solve()
		require.True(t, ok)
		require.True(t, a.accepted[0])
		require.Equal(t, slices.Repeat([]int{1}, length-1), a.chosen[:length-1])
		return s.steps
	}
	require.Equal(t, fmt.Sprint(bruteAnswer(late(8))), fmt.Sprint(first(newSolver(late(8), maxSteps).solve())))
	small, large := steps(100), steps(1_000)
	t.Logf("%d steps for 100 packages, %d for 1000", small, large)
	require.Less(t, large, 15*small)
}

func first(a answer, _ bool) answer { return a }

// pigeons returns requests that need as many different CRD owners as there are, and one more: no short proof says that this
// cannot be.
func pigeons(holes int) *problem {
	p := &problem{owners: make([][]variantID, holes)}
	all := make([]int, holes)
	for n := range holes + 1 {
		variants := make([]variant, holes)
		for v := range holes {
			all[v] = v
			variants[v].owns = []int{v}
			p.owners[v] = append(p.owners[v], variantID{n, v})
		}
		p.packages = append(p.packages, node{variants})
		p.asks = append(p.asks, ask{n, all})
		p.requests = append(p.requests, n)
	}
	return p
}

// What no search can do ends at a limit. What could be resolved before stays.
func TestHostileProblemsEnd(t *testing.T) {
	t.Parallel()
	a, limited := solve(pigeons(40), 200_000)
	require.Contains(t, limited, true)
	require.Equal(t, []bool{true, true, true, true}, a.accepted[:4])
	for r := range limited {
		require.False(t, limited[r] && a.accepted[r])
	}
	small, none := solve(pigeons(4), maxSteps)
	require.Equal(t, []bool{true, true, true, true, false}, small.accepted)
	require.NotContains(t, none, true)
}

// A cycle that every version has is found at once, however many versions there are.
func TestLongCyclesTakeFewSteps(t *testing.T) {
	t.Parallel()
	const length = 50
	all := []int{0, 1, 2, 3, 4, 5, 6, 7}
	p := &problem{requests: []int{0}}
	for n := range length {
		p.asks = append(p.asks, ask{n, all})
		p.packages = append(p.packages, node{slices.Repeat([]variant{{asks: []int{(n + 1) % length}}}, len(all))})
	}
	s := newSolver(p, maxSteps)
	a, ok := s.solve()
	require.True(t, ok)
	require.NotContains(t, a.accepted, true)
	require.Less(t, s.steps, 100_000)
	c, ok := explain(p, a.accepted, 0, maxSteps)
	require.True(t, ok)
	require.True(t, c.cyclic)
	require.Len(t, c.units, 51)
}
