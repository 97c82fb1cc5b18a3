package document

import (
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// Order returns the steps of a phase so that each comes after those it reads from; among steps that are ready, the one
// declared first comes first. Steps of a cycle, and steps that wait for one, are omitted: see Cycles.
func (g *Graph) Order(phase v1alpha1.Phase) []StepRef {
	from, to := g.phase(phase)
	order := make([]StepRef, 0, to-from)
	for _, i := range g.order(from, to) {
		order = append(order, g.steps[i].ref)
	}
	return order
}

// order is Kahn's algorithm.
func (g *Graph) order(from, to int) []int {
	waits := make([]int, to-from)
	var ready []int // ascending
	for i := from; i < to; i++ {
		for _, e := range g.steps[i].producers {
			if g.samePhase(i, e.producer) {
				waits[i-from]++
			}
		}
		if waits[i-from] == 0 {
			ready = append(ready, i)
		}
	}
	order := make([]int, 0, to-from)
	for len(ready) > 0 {
		i := ready[0]
		ready = ready[1:]
		order = append(order, i)
		for _, consumer := range g.steps[i].consumers {
			if waits[consumer-from]--; waits[consumer-from] == 0 {
				at, _ := slices.BinarySearch(ready, consumer)
				ready = slices.Insert(ready, at, consumer)
			}
		}
	}
	return order
}

// Depth returns, for each step of a phase, the length of the longest chain of steps in the phase that ends with it: 1
// for a step that does not wait, 0 for a step that Order omits.
func (g *Graph) Depth(phase v1alpha1.Phase) []int {
	from, to := g.phase(phase)
	depth := make([]int, to-from)
	for _, i := range g.order(from, to) {
		longest := 0
		for _, e := range g.steps[i].producers {
			if g.samePhase(i, e.producer) {
				longest = max(longest, depth[e.producer-from])
			}
		}
		depth[i-from] = longest + 1
	}
	return depth
}

// Producers returns the steps of either phase that a step reads from, without duplicates, in the order of its inputs.
func (g *Graph) Producers(of StepRef) []StepRef {
	var producers []StepRef
	seen := map[int]bool{}
	for _, e := range g.steps[g.position(of)].producers {
		if !seen[e.producer] {
			seen[e.producer] = true
			producers = append(producers, g.steps[e.producer].ref)
		}
	}
	return producers
}
