package validate

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// installed are the plugins of a list, as sandboxes find them.
type installed struct {
	byName map[string][]*pluginCheck // by bare name, the highest version first
	names  []string                  // bare, sorted
	like   map[string][]string       // of the names, those that begin with a letter, lower case
	unsure bool                      // a plugin has no valid name: it may be any
}

// choice is the plugin that a reference means.
type choice struct {
	reference version.Reference
	plugin    *pluginCheck // nil where the list has none
	unsure    bool         // the list alone does not tell
}

func newInstalled(plugins []*pluginCheck) *installed {
	in := &installed{byName: map[string][]*pluginCheck{}, like: map[string][]string{}}
	for _, p := range plugins {
		name, err := p.identity()
		if err != nil {
			in.unsure = true
			continue
		}
		in.byName[name.Bare] = append(in.byName[name.Bare], p)
	}
	for _, versions := range in.byName {
		slices.SortStableFunc(versions, func(a, b *pluginCheck) int { return b.name.Version.Compare(a.name.Version) })
	}
	in.names = slices.Sorted(maps.Keys(in.byName))
	for _, name := range in.names {
		first := strings.ToLower(name[:1])
		in.like[first] = append(in.like[first], name)
	}
	return in
}

// near returns the names that may be meant by another one: all, or of many those with its first letter.
func (in *installed) near(name string) []string {
	if len(in.names) <= mostCandidates {
		return in.names
	}
	return in.like[strings.ToLower(name[:1])]
}

// versions returns the versions of a plugin, the highest first.
func (in *installed) versions(bare string) []string {
	all := make([]string, 0, len(in.byName[bare]))
	for _, p := range in.byName[bare] {
		all = append(all, p.name.Version.String())
	}
	return all
}

// choose returns the plugin that a reference means: the highest version that it admits, a release before any
// prerelease. What a channel means, and what a catalog has withdrawn, only the catalog knows.
func (in *installed) choose(text string, catalogs bool) choice {
	reference, err := version.ParseReference(text)
	if err != nil || in.unsure || reference.Channel != "" || catalogs && reference.Floats() {
		return choice{unsure: true}
	}
	c := choice{reference: reference}
	for _, p := range in.byName[reference.Bare] {
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

// provision is a resource of a sandbox, and the plugin that it is provided by.
type provision struct {
	choice
	by    *sandboxCheck
	index int
}

// provisions runs through the resources of all sandboxes, nowhere where the list holds no plugins: a sandbox may be
// checked alone.
func (c *acrossCheck) provisions() iter.Seq[*provision] {
	return func(yield func(*provision) bool) {
		for i := range c.found() {
			if !yield(&c.provided[i]) {
				return
			}
		}
	}
}

func (c *acrossCheck) found() []provision {
	if c.plugins == nil || c.provided != nil {
		return c.provided
	}
	c.installed = newInstalled(c.plugins)
	for _, s := range c.sandboxes {
		for i, resource := range s.Spec.Resources {
			c.provided = append(c.provided,
				provision{choice: c.installed.choose(resource.Plugin, c.catalogs), by: s, index: i})
		}
	}
	return c.provided
}

func (p *provision) path() krm.Path { return resourcePath(p.index) }
