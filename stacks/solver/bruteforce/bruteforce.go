// Package bruteforce solves the problems of package solver by exhaustive search, for tests.
package bruteforce

import (
	"slices"

	"github.com/resource-plugins/krm-functions/stacks/solver"
)

// Answer solves a problem as package dependency defines it, without optimizations: requests are added in their order,
// each is kept if any solution includes it, and the answer is the first valid assignment.
func Answer(p *solver.Problem) solver.Answer {
	a := solver.Answer{Accepted: make([]bool, len(p.Requests))}
	var kept []int
	for i := range p.Requests {
		if s := (&search{p: p, requests: append(slices.Clone(kept), i)}).solve(); s != nil {
			kept = append(kept, i)
			a.Accepted[i] = true
		}
	}
	s := (&search{p: p, requests: kept}).solve()
	a.Chosen, a.Order = s.chosen, s.order
	return a
}

// search is a search through all assignments. If units is not nil, it leaves out requests and dependencies that are not
// among them.
type search struct {
	p        *solver.Problem
	requests []int
	units    []solver.Unit
}

// Solvable reports whether requests can all be kept if only the units are considered.
func Solvable(p *solver.Problem, requests []int, units []solver.Unit) bool {
	return (&search{p: p, requests: requests, units: units}).solve() != nil
}

type assignment struct{ chosen, order []int }

func (b *search) has(u solver.Unit) bool { return b.units == nil || slices.Contains(b.units, u) }

// solve returns the first valid assignment, or nil if no assignment is valid.
func (b *search) solve() *assignment {
	s := assignment{chosen: slices.Repeat([]int{-1}, len(b.p.Packages))}
	for _, r := range b.requests {
		if !b.has(solver.RequestUnit(r)) {
			continue
		}
		if s.order = demand(s.order, b.p.Asks[b.p.Requests[r]].Node); s.order == nil {
			return nil
		}
	}
	return b.extend(s, 0)
}

// demand adds a package to those that are required, unless it is among them. It returns nil if no package fits.
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

// extend chooses a variant for the package at the given index of the order, and for all packages after it.
func (b *search) extend(s assignment, at int) *assignment {
	if at == len(s.order) {
		if b.valid(s) {
			return &s
		}
		return nil
	}
	node := s.order[at]
	for v := range b.p.Packages[node].Variants {
		next := assignment{slices.Clone(s.chosen), s.order}
		next.chosen[node] = v
		possible := true
		for _, asked := range b.asks(node, v) {
			if next.order = demand(next.order, b.p.Asks[asked].Node); next.order == nil {
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

func (b *search) asks(node, v int) []int {
	var asks []int
	for _, asked := range b.p.Packages[node].Variants[v].Asks {
		if b.has(b.p.Dependency(node, asked)) {
			asks = append(asks, asked)
		}
	}
	return asks
}

// valid reports whether all asks are satisfied, no CRD has two owners and there is no cycle.
func (b *search) valid(s assignment) bool {
	fits := func(asked int) bool {
		a := b.p.Asks[asked]
		return slices.Contains(a.Fits, s.chosen[a.Node])
	}
	for _, r := range b.requests {
		if b.has(solver.RequestUnit(r)) && !fits(b.p.Requests[r]) {
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
		for _, crd := range b.p.Packages[node].Variants[s.chosen[node]].Owns {
			if other, ok := owner[crd]; ok && other != node && !b.p.Shared {
				return false
			}
			owner[crd] = node
		}
	}
	for _, node := range s.order {
		if !b.p.Cyclic && b.reaches(s, node, node, map[int]bool{}) {
			return false
		}
	}
	return true
}

func (b *search) reaches(s assignment, from, to int, seen map[int]bool) bool {
	for _, asked := range b.asks(from, s.chosen[from]) {
		next := b.p.Asks[asked].Node
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

// Conflict returns the units that prevent a request from being kept: those that are left after removing, from the end
// of the order, every unit without which the request is still impossible.
func Conflict(p *solver.Problem, accepted []bool, failed int) []solver.Unit {
	units := solver.ConflictOrder(p, accepted, failed)
	var requests []int
	for r := range p.Requests {
		if r == failed || r < failed && accepted[r] {
			requests = append(requests, r)
		}
	}
	for i := len(units) - 1; i >= 0; i-- {
		without := slices.Delete(slices.Clone(units), i, i+1)
		if !Solvable(p, requests, without) {
			units = without
		}
	}
	return units
}
