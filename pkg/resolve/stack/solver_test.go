package stack

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
