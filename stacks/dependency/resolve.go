// Package dependency resolves the install requests for Crossplane stacks and packages.
//
// Resolve reads the requests of a list (ExtensionRequest, StackInstall, ClusterStackInstall, and Provider,
// Configuration and Function of pkg.crossplane.io). The available packages are those of the list and those in its
// Catalog documents. For each request, Resolve returns its closure: all dependencies of the requested package, then the
// package itself. Pin resolves the requests, writes the chosen versions into them, and updates the lock.
//
// # Version selection
//
// All requests are resolved together, with one version of each package for all its requirers. The result is the first
// one that an exhaustive search in this order finds:
//
//  1. Requests are added in the order of the list. A request that conflicts with the requests kept before it is an
//     error and is left out; the others are resolved without it.
//  2. Versions are chosen for one package after the other, in the order in which the packages are first required,
//     breadth-first: first the requested packages in the order of the list, then the dependencies of the first of these
//     in the order in which its chosen version names them, then those of the second, and so on.
//  3. The versions of a package are tried in this order: a locked version first (mode keep), deprecated versions last,
//     versions from catalogs with a higher priority before others, the highest version first.
//  4. A choice is valid if every version fits all requirers of the package, no two packages own the same CRD, and there
//     is no dependency cycle. If it is not valid, the last package that has another version left gets the next one.
//
// A version range admits the versions that Masterminds semver admits: a prerelease only if the range names one. A bare
// name and "latest" admit every release. Full versions, tags and digests admit only the version that they name. Only
// these admit a yanked version, unless it is locked: then it is admitted like any other version.
//
// A required CRD selects the package that owns it, in the versions that own it. If several packages own the CRD, those
// in the catalogs with the highest priority are preferred, then those in the registry that the request has as its
// source, then those that a request, or the package that requires the CRD, asks for by name, then those that are
// locked. If more than one package is left, the requirement cannot be met.
//
// # Conflicts
//
// The error of a request that is left out names a minimal conflict: kept requests before it, and dependencies between
// packages, that together make the request impossible. The request's own dependencies are preferred, then the other
// requests in their order (solver.ConflictOrder). The error also names all other requirers of the packages in conflict.
package dependency

import (
	"cmp"
	"errors"
	"slices"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/solver"
)

// Resolve resolves the install requests of a list. It changes no document and reports problems to the list. If a
// request cannot be resolved, the others still are.
//
// The error is that of an item that is not valid YAML.
func Resolve(list *krm.ResourceList, options resolve.Options) (Resolution, error) {
	r, err := newResolver(list, options)
	if err != nil {
		return Resolution{}, err
	}
	return r.resolution, nil
}

// resolver resolves the requests of a list.
type resolver struct {
	resolve.Options
	list       *krm.ResourceList
	requests   []*request
	locks      *lockState
	builder    *builder
	answer     solver.Answer
	limited    []bool    // by the number of the request: whether it takes too many steps
	chosen     []*Chosen // by the number of the package, nil if it is not chosen
	resolution Resolution
	wrong      map[*Chosen]*resolve.DocumentError // chosen versions that cannot be relied on
}

func newResolver(list *krm.ResourceList, options resolve.Options) (*resolver, error) {
	if options.Mode == "" {
		options.Mode = resolve.Keep
	}
	r := &resolver{Options: options, list: list, requests: readRequests(list), wrong: map[*Chosen]*resolve.DocumentError{}}
	for _, one := range r.requests {
		if err := one.item.Parse(); err != nil {
			return nil, err
		}
	}
	if len(r.requests) == 0 {
		return r, nil
	}
	r.locks = newLockState(list, options, r.requests)
	if options.Mode == resolve.Locked && r.locks.Missing() {
		list.Report(krm.NewResult(krm.Error, resolve.NoLock))
		r.resolution.Requests = r.results()
		return r, nil
	}
	for _, one := range r.requests {
		one.read(r.locks)
	}
	g := newRegistry(list)
	list.Report(g.problems...)
	list.Report(r.locks.Problems()...)
	r.locks.apply(g)
	r.builder = newBuilder(g, r.locks, r.requests)
	r.answer, r.limited = solver.Solve(r.builder.problem, solver.MaxSteps)
	r.choose()
	r.resolution.Requests = r.results()
	r.finish()
	r.reportFailures()
	return r, nil
}

// choose fills chosen from the solver's answer, with requirers and dependencies.
func (r *resolver) choose() {
	r.chosen = make([]*Chosen, len(r.builder.nodes))
	for _, n := range r.answer.Order {
		from := r.builder.nodes[n].releases[r.answer.Chosen[n]]
		r.chosen[n] = &Chosen{
			Name: from.repository.name, Version: from.version, Digest: from.digest,
			APIVersion: from.apiVersion, Kind: from.kind, Content: from.content, CRDs: from.crds,
		}
		if p := from.repository; p.locked != nil && from.locked {
			r.chosen[n].Digest = cmp.Or(from.digest, p.locked.Digest)
		}
		if from.broken != nil {
			r.wrong[r.chosen[n]] = from.broken
		}
	}
	for i, request := range r.builder.requests {
		if r.answer.Accepted[i] {
			c := r.require(r.builder.problem.Requests[i], request.by())
			c.Digest = cmp.Or(c.Digest, request.wants.digest)
		}
	}
	for _, n := range r.answer.Order {
		c := r.chosen[n]
		for _, asked := range r.builder.problem.Packages[n].Variants[r.answer.Chosen[n]].Asks {
			if needed := r.require(asked, pack.ImageOf(c.Name, c.Version, "")); !slices.Contains(c.DependsOn, needed) {
				c.DependsOn = append(c.DependsOn, needed)
			}
		}
	}
}

// require adds a requirer to the chosen version of a package, which it returns.
func (r *resolver) require(asked int, by string) *Chosen {
	c := r.chosen[r.builder.problem.Asks[asked].Node]
	requirer := Requirer{By: by, Constraint: r.builder.wanted[asked].text}
	if !slices.Contains(c.Requirers, requirer) {
		c.Requirers = append(c.Requirers, requirer)
	}
	return c
}

// results returns the requests with their closures. A request that needs an unreliable version has no closure.
func (r *resolver) results() []Request {
	results := make([]Request, len(r.requests))
	number := 0
	for i, one := range r.requests {
		results[i] = Request{Item: one.item}
		if one.err != nil || r.builder == nil {
			continue
		}
		asked := r.builder.problem.Requests[number]
		if target := r.builder.wanted[asked].target; target != nil {
			results[i].Package = target.name
		}
		if r.answer.Accepted[number] {
			own := r.chosen[r.builder.problem.Asks[asked].Node]
			closure := closureOf(own, map[*Chosen]bool{}, nil)
			if one.err = r.unreliable(one, own, closure); one.err == nil {
				results[i].Closure = closure
			}
		} else {
			one.err = r.refusal(number)
		}
		number++
	}
	return results
}

// unreliable returns an error if the versions chosen for a request must not be used.
func (r *resolver) unreliable(one *request, own *Chosen, closure []*Chosen) error {
	for _, c := range closure {
		if wrong := r.wrong[c]; wrong != nil {
			return wrong
		}
	}
	if r.Mode == resolve.Locked && one.pinned() && !one.absent {
		if pin := one.pin(own); pin != one.text {
			return &notLocked{one.requested(), pin, one.text}
		}
	}
	return nil
}

// closureOf appends a package to a closure, after its dependencies. It skips packages that it has seen.
func closureOf(c *Chosen, seen map[*Chosen]bool, closure []*Chosen) []*Chosen {
	if seen[c] {
		return closure
	}
	seen[c] = true
	for _, needed := range c.DependsOn {
		closure = closureOf(needed, seen, closure)
	}
	return append(closure, c)
}

// finish lists the packages chosen for the resolved requests. Requirers that are neither such a request nor such a
// package are dropped.
func (r *resolver) finish() {
	seen, who := map[*Chosen]bool{}, map[string]bool{}
	for i, one := range r.resolution.Requests {
		if one.Closure != nil {
			who[r.requests[i].by()] = true
			r.resolution.Chosen = closureOf(one.Closure[len(one.Closure)-1], seen, r.resolution.Chosen)
		}
	}
	for _, c := range r.resolution.Chosen {
		who[pack.ImageOf(c.Name, c.Version, "")] = true
	}
	for _, c := range r.resolution.Chosen {
		c.Requirers = slices.DeleteFunc(c.Requirers, func(by Requirer) bool { return !who[by.By] })
	}
}

// reportFailures reports why requests are not resolved, at the document to be fixed or at the request.
func (r *resolver) reportFailures() {
	for _, one := range r.requests {
		if one.err == nil {
			continue
		}
		var document *resolve.DocumentError
		if errors.As(one.err, &document) {
			r.list.Report(document.Result())
			r.list.Report(krm.At(one.item, one.at, krm.Error, "must not need what cannot be relied on: "+document.Error()))
			continue
		}
		result := krm.At(one.item, one.at, krm.Error, one.err.Error())
		var wrong *notLocked
		if errors.As(one.err, &wrong) {
			result.Field.ProposedValue = wrong.pin
		}
		r.list.Report(result)
	}
}
