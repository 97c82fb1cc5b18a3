package dependency

import (
	"cmp"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/solver"
)

// builder builds a problem from requests and a registry. It keeps the requests, packages and asks by their numbers in
// the problem.
type builder struct {
	*registry
	locks    *lockState
	problem  *solver.Problem
	requests []*request // by the number of the request
	nodes    []*repository
	wanted   []wanted // by the number of the ask
	asks     map[askKey]int
	crds     map[string]int      // by plural.group
	owners   map[string][]*owner // by group, all packages that own a CRD of it
	ofCRD    map[string][]*repository

	selectors map[pack.Dependency]readSelector
	named     map[string]bool // the full names of the packages that requests ask for
}

// wanted holds the selector of an ask, with the versions and packages that it selects.
type wanted struct {
	selector
	match
	target *repository   // nil if the package is unknown or ambiguous
	owners []*repository // of the CRD
}

// askKey identifies equal asks, which share a number.
type askKey struct {
	target, text, kind string
	crd, tag           bool
}

// readSelector holds the selector of a dependency, or the error from reading it.
type readSelector struct {
	selector selector
	err      error
}

// owner is a package that owns CRDs of a group.
type owner struct {
	*repository
	releases []*release
}

func newBuilder(g *registry, locks *lockState, requests []*request) *builder {
	b := &builder{
		registry: g, locks: locks, problem: &solver.Problem{}, asks: map[askKey]int{}, crds: map[string]int{},
		owners: map[string][]*owner{}, ofCRD: map[string][]*repository{},
		selectors: map[pack.Dependency]readSelector{}, named: map[string]bool{},
	}
	b.indexCRDs()
	for _, r := range requests {
		if r.err == nil && r.wants.crd == nil {
			b.named[b.key(r.wants.name)] = true
		}
	}
	for _, r := range requests {
		if r.err == nil {
			b.requests = append(b.requests, r)
			b.problem.Requests = append(b.problem.Requests, b.ask(r.wants, nil))
		}
	}
	for n := 0; n < len(b.nodes); n++ {
		b.fill(n)
	}
	return b
}

// indexCRDs finds the packages of each group of CRDs.
func (b *builder) indexCRDs() {
	for _, name := range b.names {
		p := b.byName[b.key(name)]
		for _, r := range p.releases {
			for _, crd := range r.crds {
				all := b.owners[crd.Group]
				if len(all) == 0 || all[len(all)-1].repository != p {
					all = append(all, &owner{repository: p})
					b.owners[crd.Group] = all
				}
				last := all[len(all)-1]
				if len(last.releases) == 0 || last.releases[len(last.releases)-1] != r {
					last.releases = append(last.releases, r)
				}
			}
		}
	}
}

// ask returns the number of an ask. by holds the full names of the packages that the same package asks for.
func (b *builder) ask(s selector, by map[string]bool) int {
	w := wanted{selector: s}
	key := askKey{text: s.text, kind: s.kind, crd: s.crd != nil, tag: s.tag, target: s.name}
	if s.crd == nil {
		w.target = b.byName[b.key(s.name)]
	} else if w.owners = b.owner(s, by); len(w.owners) == 1 {
		w.target = w.owners[0]
	}
	if w.target != nil && len(w.target.releases) == 0 {
		w.target = nil
	}
	if w.target != nil {
		key.target = b.key(w.target.name)
	}
	if number, ok := b.asks[key]; ok {
		return number
	}
	number := len(b.wanted)
	b.asks[key] = number
	a := solver.Ask{Node: -1}
	if w.target != nil {
		a.Node = b.node(w.target)
		w.match = w.target.match(s)
		a.Fits = b.lockedOnly(&w)
	}
	b.wanted, b.problem.Asks = append(b.wanted, w), append(b.problem.Asks, a)
	return number
}

// lockedOnly returns the indexes of the versions that fit and that the lock allows.
func (b *builder) lockedOnly(w *wanted) []int {
	switch {
	case w.target.gone != nil:
		return nil
	case b.locks.options.Mode != resolve.Locked:
		return w.fits
	}
	return slices.DeleteFunc(slices.Clone(w.fits), func(i int) bool { return !w.target.releases[i].locked })
}

func (b *builder) node(p *repository) int {
	if p.number < 0 {
		p.number = len(b.nodes)
		b.nodes = append(b.nodes, p)
		b.problem.Packages = append(b.problem.Packages, solver.Node{})
	}
	return p.number
}

// fill adds the versions of a package to the problem.
func (b *builder) fill(n int) {
	p := b.nodes[n]
	variants := make([]solver.Variant, len(p.releases))
	for i, r := range p.releases {
		v := &variants[i]
		for _, crd := range r.crds {
			number, ok := b.crds[crd.Plural+"."+crd.Group]
			if !ok {
				number = len(b.problem.Owners)
				b.crds[crd.Plural+"."+crd.Group] = number
				b.problem.Owners = append(b.problem.Owners, nil)
			}
			if !slices.Contains(v.Owns, number) {
				v.Owns = append(v.Owns, number)
				b.problem.Owners[number] = append(b.problem.Owners[number], solver.VariantID{Node: n, Variant: i})
			}
		}
		v.Asks = b.dependencies(r)
	}
	b.problem.Packages[n].Variants = variants
}

// dependencies returns the asks of a version, without those for CRDs that it owns itself. A version with an invalid
// dependency is marked as broken.
func (b *builder) dependencies(r *release) []int {
	by := map[string]bool{}
	selectors := make([]selector, 0, len(r.dependsOn))
	for _, d := range r.dependsOn {
		s, err := b.selector(d)
		if err != nil {
			r.broken = cmp.Or(r.broken, &resolve.DocumentError{Item: r.item, Path: krm.Path(d.Field), Message: err.Error()})
			continue
		}
		if s.crd == nil {
			by[b.key(s.name)] = true
		}
		selectors = append(selectors, s)
	}
	var asks []int
	for _, s := range selectors {
		if s.crd != nil && r.owns(*s.crd) {
			continue
		}
		if number := b.ask(s, by); !slices.Contains(asks, number) {
			asks = append(asks, number)
		}
	}
	return asks
}

// selector returns the selector of a dependency. It is cached, since many packages have the same dependencies.
func (b *builder) selector(d pack.Dependency) (selector, error) {
	d.Field = ""
	known, ok := b.selectors[d]
	if !ok {
		known.selector, known.err = dependencySelector(d)
		b.selectors[d] = known
	}
	return known.selector, known.err
}

// owner returns the packages that own a CRD. Of several owners, those with the highest priority are preferred, then
// those in the registry that the request names, those that a request or the same package asks for by name, and those
// that are locked.
func (b *builder) owner(s selector, by map[string]bool) []*repository {
	owners := b.allOwners(s)
	for _, narrows := range []func(*repository) bool{
		func(p *repository) bool {
			return s.source != "" && strings.HasPrefix(p.name, strings.TrimSuffix(s.source, "/")+"/")
		},
		func(p *repository) bool { return b.named[b.key(p.name)] },
		func(p *repository) bool { return by[b.key(p.name)] },
		func(p *repository) bool { return p.locked != nil },
	} {
		if len(owners) < 2 {
			break
		}
		if left := slices.DeleteFunc(slices.Clone(owners), func(p *repository) bool { return !narrows(p) }); len(left) > 0 {
			owners = left
		}
	}
	return owners
}

// allOwners returns the packages of the highest priority that own a CRD.
func (b *builder) allOwners(s selector) []*repository {
	if known, ok := b.ofCRD[s.text]; ok {
		return known
	}
	var owners []*repository
	highest := 0
	for _, o := range b.owners[s.crd.Group] {
		for _, r := range o.releases {
			if !r.owns(*s.crd) || r.yanked != "" && !r.locked {
				continue
			}
			if len(owners) == 0 || r.priority > highest {
				owners, highest = nil, r.priority
			}
			if r.priority == highest && (len(owners) == 0 || owners[len(owners)-1] != o.repository) {
				owners = append(owners, o.repository)
			}
		}
	}
	b.ofCRD[s.text] = owners
	return owners
}
