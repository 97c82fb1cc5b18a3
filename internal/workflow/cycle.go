package workflow

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// Cycle is steps of which each waits for the next and the last for the first.
type Cycle struct {
	Steps []document.StepRef
	// Names are the steps' names, in the same order.
	Names []string
	// Input is the index of the input through which the first step waits for the second.
	Input int
}

// String is the cycle as a path, such as `a → b → a`: each step waits for the one behind its arrow.
func (c Cycle) String() string {
	return strings.Join(append(slices.Clone(c.Names), c.Names[0]), " → ")
}

// Cycles returns one cycle for each group of steps that wait for each other: a shortest one through the group's first
// step. They come in the order of declaration.
func (g *Graph) Cycles() []Cycle {
	var cycles []Cycle
	for _, phase := range v1alpha1.Phases {
		from, to := g.phase(phase)
		left := to - from - len(g.order(from, to))
		if left == 0 {
			continue
		}
		for _, group := range g.groups(from, to) {
			if cycle, ok := g.shortest(group); ok {
				cycles = append(cycles, cycle)
			}
		}
	}
	return cycles
}

// shortest searches breadth first for the way from the group's first step back to itself.
func (g *Graph) shortest(group []int) (Cycle, bool) {
	first := group[0]
	members := make(map[int]bool, len(group))
	for _, i := range group {
		members[i] = true
	}
	type visit struct {
		before int // the step that waits for this one
		input  int
	}
	visited := map[int]visit{}
	for queue := []int{first}; len(queue) > 0; queue = queue[1:] {
		for _, e := range g.steps[queue[0]].producers {
			if _, seen := visited[e.producer]; seen || !members[e.producer] {
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
	path := []int{first}
	input := back.input
	for i := back.before; i != first; i = visited[i].before {
		path = append(path, i)
		input = visited[i].input
	}
	slices.Reverse(path[1:])
	return g.cycle(path, input), true
}

func (g *Graph) cycle(path []int, input int) Cycle {
	cycle := Cycle{Input: input}
	for _, i := range path {
		cycle.Steps = append(cycle.Steps, g.steps[i].ref)
		cycle.Names = append(cycle.Names, g.steps[i].step.Name)
	}
	return cycle
}

// groups returns the strongly connected components of a phase, each ascending, in the order of their first steps. It is
// Tarjan's algorithm with its own stack: a chain may be as long as a hostile document likes.
func (g *Graph) groups(from, to int) [][]int {
	t := tarjan{graph: g, from: from, number: make([]int, to-from), low: make([]int, to-from), on: make([]bool, to-from)}
	for i := from; i < to; i++ {
		if t.number[i-from] == 0 {
			t.visit(i)
		}
	}
	slices.SortFunc(t.groups, func(a, b []int) int { return a[0] - b[0] })
	return t.groups
}

type tarjan struct {
	graph       *Graph
	from        int
	count       int
	number, low []int  // by step; a number of 0 is a step not visited yet
	on          []bool // whether a step is on the stack
	stack       []int
	groups      [][]int
}

// frame is a visit under way: the step and how many of its producers were followed.
type frame struct{ step, next int }

func (t *tarjan) visit(root int) {
	t.enter(root)
	for frames := []frame{{step: root}}; len(frames) > 0; {
		top := &frames[len(frames)-1]
		producers := t.graph.steps[top.step].producers
		if top.next < len(producers) {
			producer := producers[top.next].producer
			top.next++
			switch {
			case !t.graph.samePhase(top.step, producer):
			case t.number[producer-t.from] == 0:
				t.enter(producer)
				frames = append(frames, frame{step: producer})
			case t.on[producer-t.from]:
				t.lower(top.step, t.number[producer-t.from])
			}
			continue
		}
		done := top.step
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			t.lower(frames[len(frames)-1].step, t.low[done-t.from])
		}
		t.leave(done)
	}
}

func (t *tarjan) enter(step int) {
	t.count++
	t.number[step-t.from], t.low[step-t.from] = t.count, t.count
	t.on[step-t.from] = true
	t.stack = append(t.stack, step)
}

func (t *tarjan) lower(step, number int) {
	t.low[step-t.from] = min(t.low[step-t.from], number)
}

// leave takes a finished group off the stack, if the step is the first of one that was entered.
func (t *tarjan) leave(step int) {
	if t.low[step-t.from] != t.number[step-t.from] {
		return
	}
	start := len(t.stack) - 1
	for t.stack[start] != step {
		start--
	}
	group := slices.Clone(t.stack[start:])
	t.stack = t.stack[:start]
	for _, member := range group {
		t.on[member-t.from] = false
	}
	slices.Sort(group)
	t.groups = append(t.groups, group)
}
