package document

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// Cycle is a list of steps: each waits for the next one, and the last for the first.
type Cycle struct {
	Steps []StepRef
	// Names are the steps' names, in the same order.
	Names []string
	// Input is the index of the input through which the first step waits for the second.
	Input int
}

// String is the cycle as a path, such as `a → b → a`: each step waits for the one after its arrow.
func (c Cycle) String() string {
	return strings.Join(append(slices.Clone(c.Names), c.Names[0]), " → ")
}

// Cycles returns one cycle for each group of steps that wait for each other: a shortest one through the group's first
// step. They are in the order of declaration.
func (g *Graph) Cycles() []Cycle {
	var cycles []Cycle
	for _, phase := range v1alpha1.Phases {
		for _, group := range g.groups(g.phase(phase)) {
			if cycle, ok := g.shortest(group); ok {
				cycles = append(cycles, cycle)
			}
		}
	}
	return cycles
}

// shortest searches breadth first for the shortest path from the group's first step back to itself.
func (g *Graph) shortest(group []int) (Cycle, bool) {
	first := group[0]
	type visit struct {
		before int // the step that waits for this one
		input  int
	}
	visited := map[int]visit{}
	for queue := []int{first}; len(queue) > 0; queue = queue[1:] {
		for _, e := range g.steps[queue[0]].producers {
			_, seen := visited[e.producer]
			if _, isMember := slices.BinarySearch(group, e.producer); seen || !isMember {
				continue
			}
			visited[e.producer] = visit{before: queue[0], input: e.input}
			queue = append(queue, e.producer)
		}
		if _, closed := visited[first]; closed {
			break
		}
	}
	back, closed := visited[first]
	if !closed {
		return Cycle{}, false
	}
	path, cycle := []int{first}, Cycle{Input: back.input}
	for i := back.before; i != first; i = visited[i].before {
		path = append(path, i)
		cycle.Input = visited[i].input
	}
	slices.Reverse(path[1:])
	for _, i := range path {
		cycle.Steps = append(cycle.Steps, g.steps[i].ref)
		cycle.Names = append(cycle.Names, g.steps[i].step.Name)
	}
	return cycle, true
}

// groups returns the strongly connected components of a phase (Kosaraju's algorithm), each ascending, in the order of their
// first steps.
func (g *Graph) groups(from, to int) [][]int {
	var finished []int
	visited := make([]bool, len(g.steps))
	var finish func(step int)
	finish = func(step int) {
		visited[step] = true
		for _, e := range g.steps[step].producers {
			if !visited[e.producer] && g.samePhase(step, e.producer) {
				finish(e.producer)
			}
		}
		finished = append(finished, step)
	}
	for i := from; i < to; i++ {
		if !visited[i] {
			finish(i)
		}
	}
	var groups [][]int
	var group []int
	var gather func(step int)
	gather = func(step int) {
		visited[step] = false
		group = append(group, step)
		for _, consumer := range g.steps[step].consumers {
			if visited[consumer] {
				gather(consumer)
			}
		}
	}
	for _, i := range slices.Backward(finished) {
		if visited[i] {
			group = nil
			gather(i)
			slices.Sort(group)
			groups = append(groups, group)
		}
	}
	slices.SortFunc(groups, func(a, b []int) int { return a[0] - b[0] })
	return groups
}
