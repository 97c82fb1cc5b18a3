package dependency

import (
	"slices"
)

// bruteAnswer solves a problem as the package comment defines it, without any cleverness: requests are added in their
// order, each is kept if there is any solution with it, and of all assignments the first counts.
func bruteAnswer(p *problem) answer {
	a := answer{accepted: make([]bool, len(p.requests))}
	var kept []int
	for i := range p.requests {
		if s := (&brute{p: p, requests: append(slices.Clone(kept), i)}).solve(); s != nil {
			kept = append(kept, i)
			a.accepted[i] = true
		}
	}
	s := (&brute{p: p, requests: kept}).solve()
	a.chosen, a.order = s.chosen, s.order
	return a
}

// brute is a search through all assignments. If units is not nil, it leaves out what is not among them.
type brute struct {
	p        *problem
	requests []int
	units    []unit
}

type assignment struct{ chosen, order []int }

func (b *brute) has(u unit) bool { return b.units == nil || slices.Contains(b.units, u) }

// solve returns the first assignment that is valid, nil if none is.
func (b *brute) solve() *assignment {
	s := assignment{chosen: slices.Repeat([]int{-1}, len(b.p.packages))}
	for _, r := range b.requests {
		if !b.has(requestUnit(r)) {
			continue
		}
		if s.order = demand(s.order, b.p.asks[b.p.requests[r]].node); s.order == nil {
			return nil
		}
	}
	return b.extend(s, 0)
}

// demand adds a package to those that are required, unless it is among them. It is nil if nothing will do.
func demand(order []int, node int) []int {
	switch {
	case node < 0:
		return nil
	case slices.Contains(order, node):
		return order
	default:
		return append(slices.Clone(order), node)
	}
}

// extend chooses a variant of the package at the given place of the order, and of all after it.
func (b *brute) extend(s assignment, at int) *assignment {
	if at == len(s.order) {
		if b.valid(s) {
			return &s
		}
		return nil
	}
	node := s.order[at]
	for v := range b.p.packages[node].variants {
		next := assignment{slices.Clone(s.chosen), s.order}
		next.chosen[node] = v
		possible := true
		for _, asked := range b.asks(node, v) {
			if next.order = demand(next.order, b.p.asks[asked].node); next.order == nil {
				possible = false
				break
			}
		}
		if !possible {
			continue
		}
		if solution := b.extend(next, at+1); solution != nil {
			return solution
		}
	}
	return nil
}

func (b *brute) asks(node, v int) []int {
	var asks []int
	for _, asked := range b.p.packages[node].variants[v].asks {
		if b.has(b.p.dependency(node, asked)) {
			asks = append(asks, asked)
		}
	}
	return asks
}

// valid reports whether everything that is asked for fits, no CRD has two owners and there is no cycle.
func (b *brute) valid(s assignment) bool {
	fits := func(asked int) bool {
		a := b.p.asks[asked]
		return slices.Contains(a.fits, s.chosen[a.node])
	}
	for _, r := range b.requests {
		if b.has(requestUnit(r)) && !fits(b.p.requests[r]) {
			return false
		}
	}
	owner := map[int]int{}
	for _, node := range s.order {
		for _, asked := range b.asks(node, s.chosen[node]) {
			if !fits(asked) {
				return false
			}
		}
		for _, crd := range b.p.packages[node].variants[s.chosen[node]].owns {
			if other, ok := owner[crd]; ok && other != node && !b.p.shared {
				return false
			}
			owner[crd] = node
		}
	}
	for _, node := range s.order {
		if !b.p.cyclic && b.reaches(s, node, node, map[int]bool{}) {
			return false
		}
	}
	return true
}

func (b *brute) reaches(s assignment, from, to int, seen map[int]bool) bool {
	for _, asked := range b.asks(from, s.chosen[from]) {
		next := b.p.asks[asked].node
		if next == to {
			return true
		}
		if !seen[next] {
			seen[next] = true
			if b.reaches(s, next, to, seen) {
				return true
			}
		}
	}
	return false
}

// bruteConflict returns why a request is not kept: what is left when everything is left out, the last of the order first,
// that does not make the request possible.
func bruteConflict(p *problem, accepted []bool, failed int) []unit {
	units := conflictOrder(p, accepted, failed)
	var requests []int
	for r := range p.requests {
		if r == failed || r < failed && accepted[r] {
			requests = append(requests, r)
		}
	}
	for i := len(units) - 1; i >= 0; i-- {
		without := slices.Delete(slices.Clone(units), i, i+1)
		if (&brute{p: p, requests: requests, units: without}).solve() == nil {
			units = without
		}
	}
	return units
}
