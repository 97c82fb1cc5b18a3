package validate

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Base is an older state of the documents, such as that of a Git revision.
type Base struct {
	// List holds the older documents.
	List *krm.ResourceList
	// Elsewhere holds older documents outside the compared ones, or nil: the versions that they publish must not change when
	// they move, and none of them counts as removed.
	Elsewhere *krm.ResourceList
	// Today holds current documents outside the compared ones, or nil: a sandbox among them is not removed, but has moved.
	Today *krm.ResourceList
	// Partial means that some current documents could not be read: then none counts as removed.
	Partial bool
	// Literals returns the parts of a scalar's text around the values of template variables, one more than the number of
	// variables. It may return nil for a scalar without variables. It is called with nodes of both lists; a nil function
	// means that documents have no variables.
	Literals func(*yaml.Node) []string
}

// CheckUpdate checks the changes since an older state: published versions and immutable fields of sandboxes must not change,
// and documents in use must not be removed. The error is krm.OptionErrors for invalid options, or that of a document that
// cannot be parsed. Findings about the current documents themselves are reported by Check.
func CheckUpdate(list *krm.ResourceList, base Base, options Options) (krm.Results, error) {
	if wrong := options.Validate(); len(wrong) > 0 {
		return nil, wrong
	}
	if base.Literals == nil {
		base.Literals = func(*yaml.Node) []string { return nil }
	}
	before, err := readDocuments(base.List)
	if err != nil {
		return nil, err
	}
	after, err := readDocuments(list)
	if err != nil {
		return nil, err
	}
	elsewhere, err := readDocuments(cmp.Or(base.Elsewhere, krm.NewList()))
	if err != nil {
		return nil, err
	}
	u := &update{Base: base, before: before, after: after, elsewhere: elsewhere}
	u.sandboxes, u.removed = pair(before.sandboxes, after.sandboxes)
	if u.removed, err = without(u.removed, base.Today); err != nil {
		return nil, err
	}
	checksOf(func(r *Rule, check updateCheck) { check.run(r, u) })
	var results krm.Results
	for _, c := range slices.Concat(before.all(), after.all()) {
		c.problems = nil // Check reports them
		results = append(results, c.results(options)...)
	}
	return results.Sort(), nil
}

// without returns the sandboxes that a list, which may be nil, does not have.
func without(sandboxes []*sandbox, list *krm.ResourceList) ([]*sandbox, error) {
	if len(sandboxes) == 0 || list == nil {
		return sandboxes, nil
	}
	found, err := readDocuments(list)
	if err != nil {
		return nil, err
	}
	has := map[identity]bool{}
	for _, s := range found.sandboxes {
		has[s.identity()] = true
	}
	return slices.DeleteFunc(sandboxes, func(s *sandbox) bool { return has[s.identity()] }), nil
}

// update holds two states of the documents.
type update struct {
	Base
	before, after *documents
	elsewhere     *documents
	sandboxes     []changed  // in both states
	removed       []*sandbox // only in the older state
}

// readDocuments reads the plugins and sandboxes of a list. Plugins without a valid name are omitted.
func readDocuments(list *krm.ResourceList) (*documents, error) {
	items, err := list.Select(contract.APIVersion, contract.ResourcePlugin, contract.Sandbox)
	if err != nil {
		return nil, err
	}
	d := newDocuments(list, items)
	krm.Each(len(d.plugins), func(i int) { d.plugins[i].read() })
	krm.Each(len(d.sandboxes), func(i int) { d.sandboxes[i].read() })
	d.plugins = slices.DeleteFunc(d.plugins, func(p *plugin) bool { return p.nameErr != nil })
	return d, nil
}

// find returns the first plugin with a name and version, or nil.
func (d *documents) find(name string) *plugin {
	if d.versions == nil {
		d.versions = make(map[string]*plugin, len(d.plugins))
		for _, p := range slices.Backward(d.plugins) {
			d.versions[p.name.String()] = p
		}
	}
	return d.versions[name]
}

// changed is a sandbox of both states.
type changed struct{ before, after *sandbox }

// unread reports whether the value at path could not be read in either state.
func (s changed) unread(path krm.Path) bool { return s.before.Unsure(path) || s.after.Unsure(path) }

// pair finds the current state of each sandbox. If a sandbox is missing in its cluster, and a new one with the same name is
// in another cluster, it has moved there.
func pair(before, after []*sandbox) (both []changed, removed []*sandbox) {
	left := make(map[identity]*sandbox, len(after)) // not paired yet
	for _, s := range slices.Backward(after) {
		left[s.identity()] = s
	}
	var gone []*sandbox
	for _, s := range before {
		now := left[s.identity()]
		if now == nil {
			gone = append(gone, s)
			continue
		}
		both = append(both, changed{s, now})
		left[s.identity()] = nil
	}
	byName := make(map[string][]*sandbox, len(left))
	for _, s := range left {
		if s != nil {
			byName[s.LowerName()] = append(byName[s.LowerName()], s)
		}
	}
	for _, s := range gone {
		moved := byName[s.LowerName()]
		if len(moved) != 1 {
			removed = append(removed, s)
			continue
		}
		both = append(both, changed{s, moved[0]})
		delete(byName, s.LowerName())
	}
	return both, removed
}
