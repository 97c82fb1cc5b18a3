package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// pluginVersions is all versions of one plugin.
type pluginVersions struct {
	entries    []*entry       // the highest version first
	listings   []listedPlugin // the highest priority first
	deprecated string         // why the whole plugin is, from the catalogs of the highest priority
	unread     *DocumentError // about an unreadable version, which may be any
}

// add adds a catalog's entry of the plugin. Catalogs are added the highest priority first.
func (p *pluginVersions) add(listing listedPlugin) {
	p.listings = append(p.listings, listing)
	if listing.source.Spec.Priority == p.listings[0].source.Spec.Priority {
		p.deprecated = leastText(p.deprecated, listing.Deprecated)
	}
}

// leastText returns the smaller text that is not empty, so that the result does not depend on the order of several.
func leastText(a, b string) string {
	if a == "" || b != "" && b < a {
		return b
	}
	return a
}

// cannotRead records an unreadable version. Among several, the first by label and message is kept.
func (p *pluginVersions) cannotRead(found *DocumentError) {
	if p.unread == nil || cmp.Or(cmp.Compare(label(found.Item), label(p.unread.Item)),
		cmp.Compare(found.Message, p.unread.Message)) < 0 {
		p.unread = found
	}
}

// find returns the version with the same build metadata, or nil.
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

// versions returns the versions as texts, the highest first.
func (p *pluginVersions) versions() []string { return texts(p.entries, (*entry).version) }

func (e *entry) version() string { return e.name.Version.String() }

// compareNames finds plugins whose names differ only in case.
func (c *Catalog) compareNames() {
	spelled := make(map[string]string, len(c.plugins))
	for _, name := range slices.Sorted(maps.Keys(c.plugins)) {
		p := c.plugins[name]
		if len(p.entries)+len(p.listings) == 0 {
			continue // only documents that cannot be read have the name
		}
		folded := strings.ToLower(name)
		other, ok := spelled[folded]
		if !ok {
			spelled[folded] = name
			continue
		}
		message := fmt.Sprintf("plugin %q must not differ only in case from plugin %q: rename one", name, other)
		if len(p.listings) > 0 {
			c.problems = append(c.problems, krm.At(p.listings[0].source.Item, p.listings[0].path.Key("name"), krm.Error, message))
		} else {
			c.problems = append(c.problems, krm.At(p.entries[0].item, namePath, krm.Error, message))
		}
	}
}
