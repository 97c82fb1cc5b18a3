// Package dependency resolves install requests of Crossplane stacks and packages: which packages they need, in which
// versions.
//
// Resolve reads the requests of a list (ExtensionRequest, StackInstall, ClusterStackInstall, and Provider, Configuration
// and Function of pkg.crossplane.io). The packages that there are, are those of the list and those that its Catalog
// documents list. It returns for each request its closure: the package that it asks for with everything that this needs,
// dependencies first. Pin resolves, too, writes what was chosen into the requests, and updates the lock.
//
// # What is chosen
//
// All requests are resolved together, with one version of a package for all who need it. Which one is chosen is what a
// search through all possibilities finds first:
//
//  1. Requests are added in the order of the list. One that cannot be kept together with those that are kept before it is
//     an error, and is left out; the others are resolved without it.
//  2. A choice is made for one package after the other, in the order in which they are first required, breadth-first:
//     first the packages of the requests in the order of the list, then the dependencies of the first of these in the
//     order in which its chosen version names them, then those of the second, and so on.
//  3. The versions of a package are tried in this order: one that is locked first (mode keep), deprecated ones last, those
//     that catalogs of a higher priority list before others, the highest first.
//  4. A choice holds if every version fits everybody who requires the package, no two packages own the same CRD, and
//     packages do not need each other in a cycle. If it does not hold, the last package for which another version is
//     left gets the next one.
//
// Who requires a package by a version range admits what Masterminds semver does: a prerelease only if the range names one.
// A bare name, and "latest", admit every release. A version in full, a tag and a digest admit that version alone. Only
// these admit a version that is yanked; that a version is locked makes all admit it whose range does.
//
// A CRD is required of the package that owns it, in the versions that own it. If several packages do, that of the catalog
// of the highest priority counts, then those in the registry that the request has as its source, then those that a request,
// or the package that requires the CRD, asks for by name, then those that are locked. If there is still more than one, the
// CRD cannot be required.
//
// # Conflicts
//
// The error of a request that is left out names what it is in conflict with: of the requests that are kept before it, and
// of what packages ask of others, as little as makes it impossible, where what the request itself needs counts first, then
// the other requests in their order (solver.ConflictOrder). All others who require the packages that the conflict is about
// are named as well.
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

// Resolve returns what the install requests of a list resolve to. It changes no document; what is wrong is reported to the
// list, and a request that cannot be resolved leaves the others resolved.
//
// The error is krm.OptionErrors if options cannot be used, or that of an item that is not valid YAML.
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
	limited    []bool    // by the number of the request: it takes too many steps
	chosen     []*Chosen // by the number of the package, nil if it is not chosen
	resolution Resolution
	wrong      map[*Chosen]*resolve.DocumentError // what is chosen and cannot be relied on
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

// choose makes what is chosen of the answer.
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

// require adds who requires a package.
func (r *resolver) require(asked int, by string) *Chosen {
	c := r.chosen[r.builder.problem.Asks[asked].Node]
	requirer := Requirer{By: by, Constraint: r.builder.wanted[asked].text}
	if !slices.Contains(c.Requirers, requirer) {
		c.Requirers = append(c.Requirers, requirer)
	}
	return c
}

// results returns the requests with their closures. A request that needs something that cannot be relied on has none.
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

// unreliable returns why a request must not have what was chosen for it.
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

// closureOf returns what a package needs, dependencies first, and the package itself last.
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

// finish lists what is chosen for requests that are resolved, and who requires it.
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

// reportFailures reports why requests are not resolved: at the document that is to be fixed, or at the request.
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
