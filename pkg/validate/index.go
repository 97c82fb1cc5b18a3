package validate

import (
	"maps"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// index finds the plugins of a list by the references of sandboxes and tests.
type index struct {
	byName map[string][]*plugin // by bare name, the highest version first
	names  []string             // bare, sorted
	like   map[string][]string  // the names by their first letter in lower case
	listed map[string][]string  // the versions of each, as they are listed in messages
	chosen map[string]choice    // by reference
	unsure bool                 // a plugin has no valid name: it may be any
}

// choice is the plugin that a reference selects.
type choice struct {
	reference document.PluginReference
	plugin    *plugin // nil if the list has none
	unsure    bool    // the list is not sufficient to decide
}

func newIndex(plugins []*plugin) *index {
	x := &index{
		byName: map[string][]*plugin{}, like: map[string][]string{}, listed: map[string][]string{}, chosen: map[string]choice{},
	}
	for _, p := range plugins {
		if p.nameErr != nil {
			x.unsure = true
			continue
		}
		x.byName[p.name.Bare] = append(x.byName[p.name.Bare], p)
	}
	for _, versions := range x.byName {
		slices.SortStableFunc(versions, func(a, b *plugin) int { return b.name.Version.Compare(a.name.Version) })
	}
	x.names = slices.Sorted(maps.Keys(x.byName))
	for _, name := range x.names {
		first := strings.ToLower(name[:1])
		x.like[first] = append(x.like[first], name)
	}
	return x
}

// near returns candidates for a misspelled name: all names, or, if there are many, those with the same first letter.
func (x *index) near(name string) []string {
	if len(x.names) <= strictyaml.MaxCandidates {
		return x.names
	}
	return x.like[strings.ToLower(name[:1])]
}

// versions returns the versions of a plugin, highest first.
func (x *index) versions(bare string) []string {
	if all, known := x.listed[bare]; known {
		return all
	}
	all := make([]string, 0, len(x.byName[bare]))
	for _, p := range x.byName[bare] {
		all = append(all, p.name.Version.String())
	}
	x.listed[bare] = all
	return all
}

// choose returns the plugin that a reference selects: the highest version that it permits, with releases before prereleases.
// Channels and withdrawn versions are known only to catalogs.
func (x *index) choose(text string, hasCatalogs bool) choice {
	if c, known := x.chosen[text]; known {
		return c
	}
	c := x.find(text, hasCatalogs)
	x.chosen[text] = c
	return c
}

func (x *index) find(text string, hasCatalogs bool) choice {
	reference, err := document.ParsePluginReference(text)
	if err != nil || x.unsure || reference.Channel != "" || hasCatalogs && reference.Floats() {
		return choice{unsure: true}
	}
	c := choice{reference: reference}
	for _, p := range x.candidates(reference) {
		if !reference.Admits(p.name.Version) {
			continue
		}
		if p.name.Version.Prerelease() == "" || reference.Pin != nil || reference.Ranges() {
			c.plugin = p
			return c
		}
		if c.plugin == nil {
			c.plugin = p
		}
	}
	return c
}

// candidates returns the versions that a reference may admit, the highest first: those that a pin is equal to, or all.
func (x *index) candidates(reference document.PluginReference) []*plugin {
	all := x.byName[reference.Bare]
	if reference.Pin == nil {
		return all
	}
	first, _ := slices.BinarySearchFunc(all, reference.Pin, func(p *plugin, pin *semver.Version) int {
		return pin.Compare(p.name.Version)
	})
	behind := first
	for behind < len(all) && reference.Pin.Equal(all[behind].name.Version) {
		behind++
	}
	return all[first:behind]
}

// binding is a resource of a sandbox, or a case of a test, with the plugin that provides it.
type binding struct {
	choice
	on         *Document // the document
	sandbox    *sandbox  // nil for a case
	test       *pluginTest
	name       string // of the resource
	params     map[string]string
	path       krm.Path
	pluginPath krm.Path // empty for the cases after a test's first one, which have the same plugin
}

func (b *binding) kind() string { return b.on.item.Kind() }

// bindings returns the resources of all sandboxes, and the cases of all tests. It returns none if the list has no plugins,
// so that sandboxes can be checked separately.
func (d *documents) bindings() []binding {
	if d.plugins == nil || d.resources != nil {
		return d.resources
	}
	d.index = newIndex(d.plugins)
	for _, s := range d.sandboxes {
		for i, r := range s.Spec.Resources {
			d.resources = append(d.resources, binding{
				choice: d.index.choose(r.Plugin, d.hasCatalogs), on: &s.Document, sandbox: s, name: r.Name, params: r.Params,
				path: resourcePath(i), pluginPath: resourcePath(i).Key("plugin"),
			})
		}
	}
	for _, t := range d.tests {
		b := binding{choice: d.index.choose(t.Spec.Plugin, d.hasCatalogs), on: &t.Document, test: t, pluginPath: testPluginPath}
		for i := range t.Spec.Cases {
			b.params, b.path = params(&t.Spec.Cases[i]), casePath(i)
			d.resources = append(d.resources, b)
			b.pluginPath = ""
		}
	}
	return d.resources
}

// resource identifies a resource of a sandbox.
type resource struct {
	sandbox *sandbox
	name    string
}

// providers returns the known plugins of the resources of all sandboxes.
func (d *documents) providers() map[resource]*plugin {
	if d.plugin != nil {
		return d.plugin
	}
	d.plugin = map[resource]*plugin{}
	for _, b := range d.bindings() {
		if b.sandbox != nil && b.known() {
			d.plugin[resource{b.sandbox, b.name}] = b.plugin
		}
	}
	return d.plugin
}

// known reports whether the plugin is in the list and completely readable.
func (b *binding) known() bool { return b.plugin != nil && len(b.plugin.unreadable.broken) == 0 }
