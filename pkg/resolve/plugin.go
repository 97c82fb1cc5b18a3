package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// pluginVersions is all versions of one plugin.
type pluginVersions struct {
	entries  []*entry       // the highest version first
	listings []catalogEntry // of the catalogs that list it, the highest priority first
	unread   *DocumentError // about a version that cannot be read: it may be any
}

// catalogEntry is a plugin in one catalog.
type catalogEntry struct {
	source *source
	plugin int
}

func (e catalogEntry) listed() *v1alpha1.CatalogPlugin { return &e.source.Spec.Plugins[e.plugin] }

// cannotRead records a version that cannot be read. Of several the first by label and message counts.
func (p *pluginVersions) cannotRead(found *DocumentError) {
	if p.unread == nil || cmp.Or(cmp.Compare(label(found.Item), label(p.unread.Item)),
		cmp.Compare(found.Message, p.unread.Message)) < 0 {
		p.unread = found
	}
}

// deprecated returns why the plugin as a whole is deprecated, as the catalogs of the highest priority have it.
func (p *pluginVersions) deprecated() string {
	return leading(p.listings, func(e catalogEntry) (int, string) { return e.source.Spec.Priority, e.listed().Deprecated })
}

// find returns the version, with the same build metadata, nil if there is none.
func (p *pluginVersions) find(v *semver.Version) *entry {
	if i := slices.IndexFunc(p.entries, func(e *entry) bool { return e.is(v) }); i >= 0 {
		return p.entries[i]
	}
	return nil
}

// is reports whether the entry is this version, build metadata included.
func (e *entry) is(v *semver.Version) bool {
	return e.name.Version.Equal(v) && e.name.Version.Metadata() == v.Metadata()
}

// namePlace returns the document and the field that a finding about the plugin's name is about.
func (p *pluginVersions) namePlace() (*krm.Item, krm.Path) {
	if len(p.listings) > 0 {
		return p.listings[0].source.Item, pluginPath(p.listings[0].plugin).Key("name")
	}
	return p.entries[0].place("version")
}

// versions returns the versions as texts, the highest first.
func (p *pluginVersions) versions() []string { return texts(p.entries, (*entry).version) }

func (e *entry) version() string { return e.name.Version.String() }

// compareNames finds plugins whose names differ only in case.
func (c *Catalog) compareNames() {
	spelled := make(map[string]string, len(c.plugins))
	for _, name := range slices.Sorted(maps.Keys(c.plugins)) {
		if len(c.plugins[name].entries)+len(c.plugins[name].listings) == 0 {
			continue // only documents that cannot be read have the name
		}
		folded := strings.ToLower(name)
		other, ok := spelled[folded]
		if !ok {
			spelled[folded] = name
			continue
		}
		item, path := c.plugins[name].namePlace()
		message := fmt.Sprintf("plugin %q must not differ only in case from plugin %q: rename one", name, other)
		c.problems = append(c.problems, krm.At(item, path, krm.Error, message))
	}
}
