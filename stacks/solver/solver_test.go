package solver_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/stacks/solver"
	"github.com/resource-plugins/krm-functions/stacks/solver/bruteforce"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// randomProblem returns a problem that is small enough for a brute-force search. Problems differ in the number of asks.
func randomProblem(r *rand.Rand) *solver.Problem {
	p := &solver.Problem{}
	nodes, most := 2+r.IntN(5), 1+r.IntN(4)
	strict := 2 + r.IntN(5) // one in so many variants does not fit
	crds := r.IntN(4)
	p.Owners = make([][]solver.VariantID, crds)
	for n := range nodes {
		p.Packages = append(p.Packages, solver.Node{Variants: make([]solver.Variant, 1+r.IntN(most))})
		for v := range p.Packages[n].Variants {
			for crd := range crds {
				if r.IntN(8) == 0 {
					p.Packages[n].Variants[v].Owns = append(p.Packages[n].Variants[v].Owns, crd)
					p.Owners[crd] = append(p.Owners[crd], solver.VariantID{Node: n, Variant: v})
				}
			}
		}
	}
	ask := func() int {
		a := solver.Ask{Node: r.IntN(nodes + 1)}
		if a.Node == nodes {
			a.Node = 0
			if r.IntN(4) == 0 {
				a.Node = -1
			}
		}
		for v := range most {
			if a.Node >= 0 && v < len(p.Packages[a.Node].Variants) && r.IntN(strict) > 0 {
				a.Fits = append(a.Fits, v)
			}
		}
		for i, known := range p.Asks {
			if known.Node == a.Node && slices.Equal(known.Fits, a.Fits) {
				return i
			}
		}
		p.Asks = append(p.Asks, a)
		return len(p.Asks) - 1
	}
	density := 1 + r.IntN(4)
	for n := range p.Packages {
		for v := range p.Packages[n].Variants {
			for r.IntN(4) < density-1 && len(p.Packages[n].Variants[v].Asks) < 4 {
				p.Packages[n].Variants[v].Asks = append(p.Packages[n].Variants[v].Asks, ask())
			}
		}
	}
	for range 1 + r.IntN(4) {
		p.Requests = append(p.Requests, ask())
	}
	return p
}

// The solver returns the same answer as a brute-force search.
func TestSolverAnswersAsABruteForceSearch(t *testing.T) {
	t.Parallel()
	const problems = 20_000
	random, refused, backtracked := checkout.Random(t), 0, 0
	for range problems {
		p := randomProblem(random)
		want := bruteforce.Answer(p)
		got, stats, ok := solver.Search(p)
		require.True(t, ok)
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(got), "%+v", p)
		if slices.Contains(want.Accepted, false) {
			refused++
		}
		if stats.Learned > 0 {
			backtracked++
		}
	}
	t.Logf("of %d problems, %d have a request that is refused, and %d need learned clauses", problems, refused, backtracked)
	require.Greater(t, refused, problems/10)
	require.Greater(t, backtracked, problems/20)
}

// The solver explains a refusal with the same conflict as a brute-force search that leaves out units one by one.
func TestConflictsAreThoseOfABruteForceSearch(t *testing.T) {
	t.Parallel()
	random, shared, cyclic, units := checkout.Random(t), 0, 0, map[int]int{}
	for range 2_000 {
		p := randomProblem(random)
		a := bruteforce.Answer(p)
		for r, accepted := range a.Accepted {
			if accepted {
				continue
			}
			got, ok := solver.Explain(p, a.Accepted, r, solver.MaxSteps)
			require.True(t, ok)
			want := bruteforce.Conflict(p, a.Accepted, r)
			require.Equal(t, fmt.Sprint(want), fmt.Sprint(got.Units), "%+v", p)
			units[len(want)]++
			if got.Shared {
				shared++
			}
			if got.Cyclic {
				cyclic++
			}
		}
	}
	t.Logf("%d about CRDs, %d about cycles, by the number of units: %v", shared, cyclic, units)
	require.Greater(t, shared, 10)
	require.Greater(t, cyclic, 10)
	require.Greater(t, units[4], 10)
}

// late returns packages that each need the next one and a leaf. The first version of each needs another version of the
// leaf than the second, and the last package has only the second. A search that backtracks one step at a time tries
// every combination.
func late(length int) *solver.Problem {
	leaf := length
	p := &solver.Problem{Packages: slices.Repeat([]solver.Node{{}}, length+1), Asks: []solver.Ask{{leaf, []int{0}}, {leaf, []int{1}}}}
	for n := range length {
		variants := []solver.Variant{{Asks: []int{0}}, {Asks: []int{1}}}
		if n+1 == length {
			variants = variants[1:]
		}
		p.Asks = append(p.Asks, solver.Ask{Node: n, Fits: []int{0, 1}[:len(variants)]})
		for v := range variants {
			if n+1 < length {
				variants[v].Asks = append([]int{len(p.Asks)}, variants[v].Asks...)
			}
		}
		p.Packages[n].Variants = variants
	}
	p.Packages[leaf].Variants = make([]solver.Variant, 2)
	p.Requests = []int{2}
	return p
}

// The steps for ordinary conflicts grow in proportion to the number of asks.
func TestConflictsTakeFewSteps(t *testing.T) {
	t.Parallel()
	steps := func(length int) int {
		a, stats, ok := solver.Search(late(length))
		require.True(t, ok)
		require.True(t, a.Accepted[0])
		require.Equal(t, slices.Repeat([]int{1}, length-1), a.Chosen[:length-1])
		return stats.Steps
	}
	require.Equal(t, fmt.Sprint(bruteforce.Answer(late(8))), fmt.Sprint(first(solver.Solve(late(8), solver.MaxSteps))))
	small, large := steps(100), steps(1_000)
	t.Logf("%d steps for 100 packages, %d for 1000", small, large)
	require.Less(t, large, 15*small)
}

func first(a solver.Answer, _ []bool) solver.Answer { return a }

// pigeons returns requests for packages that must each own a different CRD, but there is one package more than CRDs. No
// short proof shows that this is impossible.
func pigeons(holes int) *solver.Problem {
	p := &solver.Problem{Owners: make([][]solver.VariantID, holes)}
	all := make([]int, holes)
	for n := range holes + 1 {
		variants := make([]solver.Variant, holes)
		for v := range holes {
			all[v] = v
			variants[v].Owns = []int{v}
			p.Owners[v] = append(p.Owners[v], solver.VariantID{Node: n, Variant: v})
		}
		p.Packages = append(p.Packages, solver.Node{Variants: variants})
		p.Asks = append(p.Asks, solver.Ask{Node: n, Fits: all})
		p.Requests = append(p.Requests, n)
	}
	return p
}

// A search that cannot finish stops at a limit. Requests that were resolved before stay resolved.
func TestHostileProblemsEnd(t *testing.T) {
	t.Parallel()
	a, limited := solver.Solve(pigeons(40), 200_000)
	require.Contains(t, limited, true)
	require.Equal(t, []bool{true, true, true, true}, a.Accepted[:4])
	for r := range limited {
		require.False(t, limited[r] && a.Accepted[r])
	}
	small, none := solver.Solve(pigeons(4), solver.MaxSteps)
	require.Equal(t, []bool{true, true, true, true, false}, small.Accepted)
	require.NotContains(t, none, true)
}

// A cycle in every version is found at once, regardless of the number of versions.
func TestLongCyclesTakeFewSteps(t *testing.T) {
	t.Parallel()
	const length = 50
	all := []int{0, 1, 2, 3, 4, 5, 6, 7}
	p := &solver.Problem{Requests: []int{0}}
	for n := range length {
		p.Asks = append(p.Asks, solver.Ask{Node: n, Fits: all})
		p.Packages = append(p.Packages, solver.Node{Variants: slices.Repeat([]solver.Variant{{Asks: []int{(n + 1) % length}}}, len(all))})
	}
	a, stats, ok := solver.Search(p)
	require.True(t, ok)
	require.NotContains(t, a.Accepted, true)
	require.Less(t, stats.Steps, 100_000)
	c, ok := solver.Explain(p, a.Accepted, 0, solver.MaxSteps)
	require.True(t, ok)
	require.True(t, c.Cyclic)
	require.Len(t, c.Units, 51)
}
