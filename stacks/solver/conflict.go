package solver

import "slices"

// Conflict describes why a request cannot be kept together with those before it.
type Conflict struct {
	// Units are the units in conflict, in the order of ConflictOrder: without any one of them, the request could be kept.
	Units []Unit
	// Shared means that the conflict is about a CRD with two owners, and Cyclic that it is about a cycle.
	Shared, Cyclic bool
}

// ConflictOrder returns the units that a request can conflict with, in the order in which a conflict prefers them: the
// request, then its dependencies with any choice of variants, in the order in which they are first required, then the
// same for each kept request before it.
func ConflictOrder(p *Problem, accepted []bool, failed int) []Unit {
	var units []Unit
	seen := map[Unit]bool{}
	visited := make([]bool, len(p.Packages))
	add := func(request int) {
		units = append(units, RequestUnit(request))
		var queue []int
		visit := func(asked int) {
			if to := p.Asks[asked].Node; to >= 0 && !visited[to] {
				visited[to] = true
				queue = append(queue, to)
			}
		}
		for visit(p.Requests[request]); len(queue) > 0; queue = queue[1:] {
			for _, v := range p.Packages[queue[0]].Variants {
				for _, asked := range v.Asks {
					if u := p.Dependency(queue[0], asked); !seen[u] {
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

// Explain returns the conflict that prevents a request from being kept: the units of ConflictOrder that remain after
// all units that the conflict does not need are left out, starting from the end. The search begins at the start of the
// order, so that units far from the request cost nothing. Explain returns false if this takes too many steps.
func Explain(p *Problem, accepted []bool, failed, limit int) (Conflict, bool) {
	e := &explanation{Problem: p, left: limit}
	var c Conflict
	rest := ConflictOrder(p, accepted, failed)
	for !e.conflicts(p, c.Units) && e.left > 0 {
		rest = rest[:e.shortest(c.Units, rest)]
		c.Units = append(c.Units, rest[len(rest)-1])
		rest = rest[:len(rest)-1]
	}
	slices.Reverse(c.Units)
	for _, relaxed := range []struct {
		is               *bool
		shared, cyclical bool
	}{{&c.Shared, true, false}, {&c.Cyclic, false, true}} {
		without := *p
		without.Shared, without.Cyclic = relaxed.shared, relaxed.cyclical
		*relaxed.is = !e.conflicts(&without, c.Units)
	}
	return c, e.left > 0
}

// explanation counts the steps of an explanation.
type explanation struct {
	*Problem
	left int
}

// shortest returns the length of the shortest prefix of units that conflicts with others.
func (e *explanation) shortest(with, units []Unit) int {
	low, high := 1, 1 // fewer than low do not conflict
	for high < len(units) && !e.conflicts(e.Problem, slices.Concat(with, units[:high])) {
		low = high + 1
		high *= 2
	}
	high = min(high, len(units))
	for low < high {
		if middle := (low + high) / 2; e.conflicts(e.Problem, slices.Concat(with, units[:middle])) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// conflicts reports whether the requests among units cannot all be kept if only the units are considered.
func (e *explanation) conflicts(p *Problem, units []Unit) bool {
	s := newSolver(only(p, units), e.left)
	s.keepAll = true
	a, ok := s.solve()
	e.left -= s.steps
	return !ok || slices.Contains(a.Accepted, false)
}

// only returns the part of a problem that the requests among units need, if only the units are considered.
func only(p *Problem, units []Unit) *Problem {
	r := restriction{
		from: p, to: &Problem{Shared: p.Shared, Cyclic: p.Cyclic}, units: make(map[Unit]bool, len(units)),
		asks: map[int]int{}, nodes: map[int]int{}, crds: map[int]int{},
	}
	for _, u := range units {
		r.units[u] = true
	}
	for _, u := range units {
		if u.Request >= 0 {
			r.to.Requests = append(r.to.Requests, r.ask(p.Requests[u.Request]))
		}
	}
	for n := 0; n < len(r.order); n++ {
		r.fill(n)
	}
	return r.to
}

// restriction builds a part of a problem. It maps the numbers of asks, packages and CRDs to those in the part.
type restriction struct {
	from, to          *Problem
	units             map[Unit]bool
	asks, nodes, crds map[int]int
	order             []int // the packages of from, by their number in to
}

func (r *restriction) ask(asked int) int {
	number, ok := r.asks[asked]
	if !ok {
		a := r.from.Asks[asked]
		if a.Node >= 0 {
			a.Node = r.node(a.Node)
		}
		number = len(r.to.Asks)
		r.asks[asked] = number
		r.to.Asks = append(r.to.Asks, a)
	}
	return number
}

func (r *restriction) node(n int) int {
	number, ok := r.nodes[n]
	if !ok {
		number = len(r.order)
		r.nodes[n] = number
		r.order = append(r.order, n)
		r.to.Packages = append(r.to.Packages, Node{})
	}
	return number
}

// fill adds the variants of a package.
func (r *restriction) fill(number int) {
	n := r.order[number]
	variants := make([]Variant, len(r.from.Packages[n].Variants))
	for v, from := range r.from.Packages[n].Variants {
		for _, asked := range from.Asks {
			if r.units[r.from.Dependency(n, asked)] {
				variants[v].Asks = append(variants[v].Asks, r.ask(asked))
			}
		}
		for _, crd := range from.Owns {
			own, ok := r.crds[crd]
			if !ok {
				own = len(r.to.Owners)
				r.crds[crd] = own
				r.to.Owners = append(r.to.Owners, nil)
			}
			variants[v].Owns = append(variants[v].Owns, own)
			r.to.Owners[own] = append(r.to.Owners[own], VariantID{number, v})
		}
	}
	r.to.Packages[number].Variants = variants
}
