// Package solver chooses a version of each package that is needed, by conflict-driven clause learning. It knows no names and
// no documents: a Problem consists of numbers. Solve returns the first answer of a fixed order, so that the same problem
// always has the same answer, and Explain returns why a request cannot be kept:
//
//	answer, limited := solver.Solve(problem, solver.MaxSteps)
//	conflict, ok := solver.Explain(problem, answer.Accepted, refused, solver.MaxSteps)
//
// The search learns a clause from every conflict, so that ordinary conflicts do not make it try every combination; a limit
// of steps ends it for lists that were made to exceed any search. It is our own, of about 300 lines, since the answer must
// be the first one of a fixed order and the others give any, or stop at the first conflict. Weighed were gini
// (github.com/go-air/gini: a fast SAT solver, but it chooses the order itself, so that the first answer takes one call for
// each package), deppy (github.com/operator-framework/deppy: prefers an order, but its search tries every combination on top
// of gini, and it is archived), gophersat (github.com/crillab/gophersat: optimizes a sum of weights, which is not an order),
// and pubgrub-go (github.com/contriboss/pubgrub-go: explains well, but has no packages by what they own, and its order is
// not part of its interface).
//
// Package dependency makes a Problem of documents. Package bruteforce tries everything, for tests.
package solver

import "slices"

// Solve returns the solution of a problem. If it takes too many steps, requests are added one by one, and those that are
// too many are limited.
func Solve(p *Problem, limit int) (a Answer, limited []bool) {
	limited = make([]bool, len(p.Requests))
	s := newSolver(p, limit)
	if a, ok := s.solve(); ok {
		return a, limited
	}
	a = Answer{Accepted: make([]bool, len(p.Requests)), Chosen: slices.Repeat([]int{-1}, len(p.Packages))}
	left := limit
	var kept []int
	for request := range p.Requests {
		one := *p
		one.Requests = nil
		for _, k := range append(slices.Clone(kept), request) {
			one.Requests = append(one.Requests, p.Requests[k])
		}
		s := newSolver(&one, min(left, limit/10))
		found, ok := s.solve()
		left -= s.steps
		if limited[request] = !ok; !ok || !found.Accepted[len(kept)] {
			continue
		}
		kept = append(kept, request)
		a.Accepted[request], a.Chosen, a.Order = true, found.Chosen, found.Order
	}
	return a, limited
}
