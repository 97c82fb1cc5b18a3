package solver

import "slices"

// pair is a dependency of a package on another one, by their numbers.
type pair struct{ from, to int }

// edges holds the pairs that may be part of a cycle.
type edges struct {
	pairs    []pair
	numbers  map[pair]int
	variants [][]int // by the number of the pair: the variants that ask
}

func newEdges(p *Problem) *edges {
	e := &edges{numbers: map[pair]int{}}
	if p.Cyclic {
		return e
	}
	component := components(len(p.Packages), func(from int, visit func(to int)) {
		for _, v := range p.Packages[from].Variants {
			for _, asked := range v.Asks {
				visit(p.Asks[asked].Node)
			}
		}
	})
	for from := range p.Packages {
		for i, v := range p.Packages[from].Variants {
			for _, asked := range v.Asks {
				to := p.Asks[asked].Node
				if to < 0 || component[from] != component[to] {
					continue
				}
				number, ok := e.numbers[pair{from, to}]
				if !ok {
					number = len(e.pairs)
					e.numbers[pair{from, to}] = number
					e.pairs, e.variants = append(e.pairs, pair{from, to}), append(e.variants, nil)
				}
				if known := e.variants[number]; len(known) == 0 || known[len(known)-1] != i {
					e.variants[number] = append(known, i)
				}
			}
		}
	}
	return e
}

// components returns for each of n nodes the number of its strongly connected component (Tarjan's algorithm). Nodes
// below 0 are ignored.
func components(n int, next func(from int, visit func(to int))) []int {
	component, index, low := make([]int, n), make([]int, n), make([]int, n)
	var stack []int
	count := 0
	var visit func(node int)
	visit = func(node int) {
		count++
		index[node], low[node] = count, count
		stack = append(stack, node)
		next(node, func(to int) {
			switch {
			case to < 0:
			case index[to] == 0:
				visit(to)
				low[node] = min(low[node], low[to])
			case component[to] == 0:
				low[node] = min(low[node], index[to])
			}
		})
		if low[node] < index[node] {
			return
		}
		for {
			last := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			component[last] = node + 1
			if last == node {
				return
			}
		}
	}
	for node := range n {
		if index[node] == 0 {
			visit(node)
		}
	}
	return component
}

// dropCycles excludes packages that are part of a cycle in every variant that is left. Otherwise, every combination of
// variants would be a separate conflict. No decision has been made yet.
func (s *solver) dropCycles() {
	for dropped := len(s.edges.pairs) > 0; dropped; {
		dropped = false
		s.propagate() // cannot conflict, since no request has to be kept
		always := make([][]int, len(s.Packages))
		for number, p := range s.edges.pairs {
			s.steps++
			if s.alwaysAsks(number) {
				always[p.from] = append(always[p.from], p.to)
			}
		}
		component := components(len(s.Packages), func(from int, visit func(to int)) {
			for _, to := range always[from] {
				visit(to)
			}
		})
		size := make([]int, len(s.Packages)+1)
		for _, c := range component {
			size[c]++
		}
		for node := range s.Packages {
			if size[component[node]] == 1 && !slices.Contains(always[node], node) {
				continue
			}
			for v := range s.Packages[node].Variants {
				if l := s.variant(node, v); unassigned(s.value(l)) {
					dropped = true
					s.assign(l.not(), decided, 0)
				}
			}
		}
	}
}

// alwaysAsks reports whether a package has variants left, all of which ask for the other package of a pair.
func (s *solver) alwaysAsks(number int) bool {
	from := s.edges.pairs[number].from
	asking, left := s.edges.variants[number], false
	for v := range s.Packages[from].Variants {
		s.steps++
		asks := len(asking) > 0 && asking[0] == v
		if asks {
			asking = asking[1:]
		}
		if s.value(s.variant(from, v)) == -1 {
			continue
		}
		if left = true; !asks {
			return false
		}
	}
	return left
}

// findCycle returns a clause that excludes the first cycle among chosen packages, or nil if they have no cycle.
func (s *solver) findCycle() []literal {
	if len(s.edges.pairs) == 0 || s.asked < len(s.Requests) {
		return nil
	}
	var clause []literal
	nodes := cycle(s.Problem, s.queue, s.chosenVariant)
	for i, from := range nodes {
		clause = append(clause, s.edge(s.edges.numbers[pair{from, nodes[(i+1)%len(nodes)]}]).not())
	}
	return clause
}

// cycle returns the first cycle among chosen packages, in the order of their dependencies, or nil without a cycle.
func cycle(p *Problem, nodes []int, chosen func(node int) int) []int {
	const visiting, visited = 1, 2
	state := make([]int8, len(p.Packages))
	var path []int
	var visit func(node int) []int
	visit = func(node int) []int {
		state[node] = visiting
		path = append(path, node)
		for _, asked := range p.Packages[node].Variants[chosen(node)].Asks {
			next := p.Asks[asked].Node
			if state[next] == visiting {
				return path[slices.Index(path, next):]
			}
			if state[next] == 0 {
				if found := visit(next); found != nil {
					return found
				}
			}
		}
		state[node] = visited
		path = path[:len(path)-1]
		return nil
	}
	for _, node := range nodes {
		if state[node] == 0 {
			if found := visit(node); found != nil {
				return slices.Clone(found)
			}
		}
	}
	return nil
}
