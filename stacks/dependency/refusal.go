package dependency

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/solver"
)

// notLocked means that a pin differs from the version to which its reference is locked.
type notLocked struct{ requested, pin, text string }

func (e *notLocked) Error() string {
	return fmt.Sprintf("must be what %q is locked to (%s), not %q: run mode keep to take it over", e.requested, e.pin, e.text)
}

// errSteps means that a request cannot be resolved within the step limit.
var errSteps = errors.New("must be resolved in fewer steps: too many versions conflict with each other; " +
	"pin some of the packages, or lock them")

// refusal returns an error that explains why a request of the problem is not kept.
func (r *resolver) refusal(number int) error {
	if r.limited[number] {
		return errSteps
	}
	p := r.builder.problem
	if asked := p.Requests[number]; len(p.Asks[asked].Fits) == 0 {
		return r.builder.why(asked)
	}
	c, ok := solver.Explain(p, r.answer.Accepted, number, solver.MaxSteps)
	if !ok {
		return errSteps
	}
	d := &description{resolver: r, Conflict: c, asked: r.askedIn(c)}
	switch {
	case c.Cyclic:
		return d.cycle()
	case c.Shared:
		return d.sharedCRD()
	}
	return d.versions()
}

// edge is an ask in a conflict, with its requirer.
type edge struct {
	requirer Requirer
	from     solver.VariantID // the variant that asks; Node is -1 for a request
	asked    int
}

// askedIn returns the asks in a conflict, in its order. Those of a package are the asks of all versions that the
// preceding requests admit.
func (r *resolver) askedIn(c solver.Conflict) []edge {
	p := r.builder.problem
	var edges []edge
	for _, u := range c.Units {
		if u.Request >= 0 {
			asked := p.Requests[u.Request]
			by := Requirer{r.builder.requests[u.Request].by(), r.builder.wanted[asked].text}
			edges = append(edges, edge{by, solver.VariantID{Node: -1}, asked})
			continue
		}
		for v, variant := range p.Packages[u.From].Variants {
			if slices.ContainsFunc(edges, func(e edge) bool {
				a := p.Asks[e.asked]
				return e.from.Node < 0 && a.Node == u.From && !slices.Contains(a.Fits, v)
			}) {
				continue
			}
			for _, asked := range variant.Asks {
				if p.Dependency(u.From, asked) == u {
					from := r.builder.nodes[u.From].releases[v]
					by := Requirer{pack.ImageOf(from.repository.name, from.version, ""), r.builder.wanted[asked].text}
					edges = append(edges, edge{by, solver.VariantID{Node: u.From, Variant: v}, asked})
				}
			}
		}
	}
	return edges
}

// description describes a conflict in an error message.
type description struct {
	*resolver
	solver.Conflict
	asked []edge
}

// versions describes a conflict about versions: every package that several parts of the conflict ask for, or that has
// no fitting version, with its requirers.
func (d *description) versions() error {
	var parts []string
	seen, said := map[int]bool{}, map[int]bool{}
	for _, e := range d.asked {
		to := d.builder.problem.Asks[e.asked].Node
		switch {
		case len(d.builder.problem.Asks[e.asked].Fits) == 0:
			if !said[e.asked] {
				said[e.asked] = true
				parts = append(parts, fmt.Sprintf("%s (required by %s)", d.builder.why(e.asked), d.askers(e.asked)))
			}
		case !seen[to] && d.disputed(to):
			seen[to] = true
			p := d.builder.nodes[to]
			parts = append(parts, fmt.Sprintf("package %q must have one version for all who require it: %s; %s",
				p.name, d.requirers(to), strictyaml.ThereAre(p.versions())))
		}
	}
	return errors.New(strings.Join(parts, "; "))
}

// askers lists the requirers of an ask in the conflict.
func (d *description) askers(asked int) string {
	var names []string
	for _, e := range d.asked {
		if e.asked == asked && !slices.Contains(names, e.requirer.By) {
			names = append(names, e.requirer.By)
		}
	}
	return strictyaml.FirstOf(names)
}

// disputed reports whether a package is asked for by more than one part of the conflict.
func (d *description) disputed(node int) bool {
	count := 0
	for _, u := range d.Units {
		if u.To == node || u.Request >= 0 && d.builder.problem.Asks[d.builder.problem.Requests[u.Request]].Node == node {
			count++
		}
	}
	return count > 1
}

// requirers lists all requirers of a package: those in the conflict, and those in the resolution.
func (d *description) requirers(node int) string {
	var all []Requirer
	for _, e := range d.asked {
		if d.builder.problem.Asks[e.asked].Node == node {
			all = append(all, e.requirer)
		}
	}
	if c := d.chosen[node]; c != nil {
		all = append(all, c.Requirers...)
	}
	var texts []string
	for _, one := range all {
		if text := one.String(); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ", ")
}

// String describes the requirer for messages.
func (r Requirer) String() string {
	return fmt.Sprintf("%s asks for %s", r.By, cmp.Or(r.quoted(), "any release"))
}

func (r Requirer) quoted() string {
	if r.Constraint == "" {
		return ""
	}
	return fmt.Sprintf("%q", r.Constraint)
}

// sharedCRD describes a conflict about CRDs that two packages own.
func (d *description) sharedCRD() error {
	owned := map[string][]int{}
	var crds []string
	var nodes []int
	for _, e := range d.asked {
		if to := d.builder.problem.Asks[e.asked].Node; to >= 0 && !slices.Contains(nodes, to) {
			nodes = append(nodes, to)
		}
	}
	for _, n := range nodes {
		for _, r := range d.builder.nodes[n].releases {
			for _, crd := range r.crds {
				name := crd.Plural + "." + crd.Group
				if !slices.Contains(owned[name], n) {
					owned[name] = append(owned[name], n)
				}
				if len(owned[name]) == 2 && !slices.Contains(crds, name) {
					crds = append(crds, name)
				}
			}
		}
	}
	parts := make([]string, len(crds))
	for i, crd := range crds {
		owners := make([]string, len(owned[crd]))
		for j, n := range owned[crd] {
			owners[j] = fmt.Sprintf("%q (%s)", d.builder.nodes[n].name, d.requirers(n))
		}
		parts[i] = fmt.Sprintf("CRD %q must be owned by one package, not by %s", crd, strings.Join(owners, " and "))
	}
	return errors.New(strings.Join(parts, "; "))
}

// cycle describes a conflict about a dependency cycle.
func (d *description) cycle() error {
	p := d.builder.problem
	next := map[int][]edge{}
	var order []int
	for _, e := range d.asked {
		if e.from.Node < 0 {
			order = append(order, p.Asks[e.asked].Node)
		} else {
			next[e.from.Node] = append(next[e.from.Node], e)
		}
	}
	for _, start := range order {
		if path := cycleFrom(start, next, p, map[int]bool{}, nil); path != nil {
			var names []string
			for _, e := range path {
				names = append(names, e.requirer.By)
			}
			return fmt.Errorf("packages must not need each other in a cycle: %s", strings.Join(append(names, names[0]), " -> "))
		}
	}
	return d.versions()
}

// cycleFrom returns the first cycle that a package leads to, or nil if it leads to no cycle.
func cycleFrom(node int, next map[int][]edge, p *solver.Problem, done map[int]bool, path []edge) []edge {
	if start := slices.IndexFunc(path, func(e edge) bool { return e.from.Node == node }); start >= 0 {
		return path[start:]
	}
	if done[node] {
		return nil
	}
	for _, e := range next[node] {
		if to := p.Asks[e.asked].Node; to >= 0 {
			if found := cycleFrom(to, next, p, done, append(path, e)); found != nil {
				return found
			}
		}
	}
	done[node] = true
	return nil
}
