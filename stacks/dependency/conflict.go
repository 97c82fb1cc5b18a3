package dependency

import "slices"

// conflict is why a request cannot be kept beside those before it.
type conflict struct {
	// units are what cannot be together, in the order of conflictOrder: without any of them the request could be kept.
	units []unit
	// shared means that the conflict is about a CRD with two owners, and cyclic that it is about a cycle.
	shared, cyclic bool
}

// conflictOrder returns what a request can conflict with, in the order in which a conflict prefers it: the request, what
// it needs in the order in which it is first required, whichever variants are chosen, then the same of each request that
// is kept and comes before it.
func conflictOrder(p *problem, accepted []bool, failed int) []unit {
	var units []unit
	seen := map[unit]bool{}
	visited := make([]bool, len(p.packages))
	add := func(request int) {
		units = append(units, requestUnit(request))
		var queue []int
		visit := func(asked int) {
			if to := p.asks[asked].node; to >= 0 && !visited[to] {
				visited[to] = true
				queue = append(queue, to)
			}
		}
		for visit(p.requests[request]); len(queue) > 0; queue = queue[1:] {
			for _, v := range p.packages[queue[0]].variants {
				for _, asked := range v.asks {
					if u := p.dependency(queue[0], asked); !seen[u] {
						seen[u] = true
						units = append(units, u)
					}
					visit(asked)
				}
			}
		}
	}
	add(failed)
	for r := range failed {
		if accepted[r] {
			add(r)
		}
	}
	return units
}

// explain returns why a request is not kept. It is what remains of conflictOrder if, from its end, everything is left out
// that the conflict does not need; it is found from the start, so that what is far away costs nothing. False means that
// it takes too many steps.
func explain(p *problem, accepted []bool, failed, limit int) (conflict, bool) {
	e := &explanation{problem: p, left: limit}
	var c conflict
	rest := conflictOrder(p, accepted, failed)
	for !e.conflicts(p, c.units) && e.left > 0 {
		rest = rest[:e.shortest(c.units, rest)]
		c.units = append(c.units, rest[len(rest)-1])
		rest = rest[:len(rest)-1]
	}
	slices.Reverse(c.units)
	for _, relaxed := range []struct {
		is               *bool
		shared, cyclical bool
	}{{&c.shared, true, false}, {&c.cyclic, false, true}} {
		without := *p
		without.shared, without.cyclic = relaxed.shared, relaxed.cyclical
		*relaxed.is = !e.conflicts(&without, c.units)
	}
	return c, e.left > 0
}

// explanation counts the steps of an explanation.
type explanation struct {
	*problem
	left int
}

// shortest returns how many units of a list it takes from the start to conflict with others.
func (e *explanation) shortest(with, units []unit) int {
	low, high := 1, 1 // fewer than low do not conflict
	for high < len(units) && !e.conflicts(e.problem, slices.Concat(with, units[:high])) {
		low = high + 1
		high *= 2
	}
	high = min(high, len(units))
	for low < high {
		if middle := (low + high) / 2; e.conflicts(e.problem, slices.Concat(with, units[:middle])) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// conflicts reports whether the requests among units cannot all be kept if nothing but the units counts.
func (e *explanation) conflicts(p *problem, units []unit) bool {
	s := newSolver(only(p, units), e.left)
	s.keepAll = true
	a, ok := s.solve()
	e.left -= s.steps
	return !ok || slices.Contains(a.accepted, false)
}

// only returns the part of a problem that the requests among units need, if nothing but the units counts.
func only(p *problem, units []unit) *problem {
	r := restriction{
		from: p, to: &problem{shared: p.shared, cyclic: p.cyclic}, units: make(map[unit]bool, len(units)),
		asks: map[int]int{}, nodes: map[int]int{}, crds: map[int]int{},
	}
	for _, u := range units {
		r.units[u] = true
	}
	for _, u := range units {
		if u.request >= 0 {
			r.to.requests = append(r.to.requests, r.ask(p.requests[u.request]))
		}
	}
	for n := 0; n < len(r.order); n++ {
		r.fill(n)
	}
	return r.to
}

// restriction is a part of a problem in the making, with the numbers that things have in it.
type restriction struct {
	from, to          *problem
	units             map[unit]bool
	asks, nodes, crds map[int]int
	order             []int // the packages of from, by their number in to
}

func (r *restriction) ask(asked int) int {
	number, ok := r.asks[asked]
	if !ok {
		a := r.from.asks[asked]
		if a.node >= 0 {
			a.node = r.node(a.node)
		}
		number = len(r.to.asks)
		r.asks[asked] = number
		r.to.asks = append(r.to.asks, a)
	}
	return number
}

func (r *restriction) node(n int) int {
	number, ok := r.nodes[n]
	if !ok {
		number = len(r.order)
		r.nodes[n] = number
		r.order = append(r.order, n)
		r.to.packages = append(r.to.packages, node{})
	}
	return number
}

// fill adds the variants of a package.
func (r *restriction) fill(number int) {
	n := r.order[number]
	variants := make([]variant, len(r.from.packages[n].variants))
	for v, from := range r.from.packages[n].variants {
		for _, asked := range from.asks {
			if r.units[r.from.dependency(n, asked)] {
				variants[v].asks = append(variants[v].asks, r.ask(asked))
			}
		}
		for _, crd := range from.owns {
			own, ok := r.crds[crd]
			if !ok {
				own = len(r.to.owners)
				r.crds[crd] = own
				r.to.owners = append(r.to.owners, nil)
			}
			variants[v].owns = append(variants[v].owns, own)
			r.to.owners[own] = append(r.to.owners[own], variantID{number, v})
		}
	}
	r.to.packages[number].variants = variants
}
