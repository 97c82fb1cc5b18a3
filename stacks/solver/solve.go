// Package solver chooses versions of packages by conflict-driven clause learning.
//
// It does not know names or documents: a Problem consists of numbers. Solve returns the first answer in a fixed order,
// so that the same problem always has the same answer. Explain returns the conflict that prevents a request from being
// kept:
//
//	answer, limited := solver.Solve(problem, solver.MaxSteps)
//	conflict, ok := solver.Explain(problem, answer.Accepted, refused, solver.MaxSteps)
//
// The search learns a clause from every conflict, so that it does not try every combination to resolve ordinary
// conflicts. A step limit stops it for lists that were crafted to exceed any search.
//
// The solver is implemented here, in about 300 lines, since the answer must be the first one in a fixed order, and the
// libraries that were considered return any answer, or stop at the first conflict:
//
//   - gini (github.com/go-air/gini) is a fast SAT solver, but it chooses the order itself, so that finding the first
//     answer takes one call per package.
//   - deppy (github.com/operator-framework/deppy) supports an order of preference, but its search tries every
//     combination on top of gini, and it is archived.
//   - gophersat (github.com/crillab/gophersat) optimizes a sum of weights, which is not an order.
//   - pubgrub-go (github.com/contriboss/pubgrub-go) explains conflicts well, but does not support packages selected by
//     the CRDs that they own, and its order is not part of its API.
//
// Package dependency creates a Problem from documents. For tests, package bruteforce solves it by exhaustive search.
package solver

import "slices"

// Solve returns the solution of a problem. If it takes more steps than the limit, requests are added one by one, and
// limited marks those that take too many steps.
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
