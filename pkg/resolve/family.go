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

// family is all versions of one plugin.
type family struct {
	entries []*entry       // the highest version first
	shelves []shelf        // the catalogs that list it, the highest priority first
	unread  *DocumentError // about a version that cannot be read: it may be any
}

// shelf is what one catalog says of a plugin.
type shelf struct {
	source *source
	plugin int
}

func (s shelf) Plugin() *v1alpha1.CatalogPlugin { return &s.source.Spec.Plugins[s.plugin] }

// cannotRead notes a version that cannot be read. Of several the first by its label and message counts.
func (f *family) cannotRead(found *DocumentError) {
	if f.unread == nil || cmp.Or(cmp.Compare(label(found.Item), label(f.unread.Item)),
		cmp.Compare(found.Message, f.unread.Message)) < 0 {
		f.unread = found
	}
}

// deprecated says why the plugin as a whole is, as the catalogs of the highest priority have it.
func (f *family) deprecated() string {
	least := ""
	for _, s := range f.shelves {
		if s.source.Spec.Priority != f.shelves[0].source.Spec.Priority {
			break
		}
		if text := s.Plugin().Deprecated; text != "" && (least == "" || text < least) {
			least = text
		}
	}
	return least
}

// find returns the version as it is spelled, nil where there is none.
func (f *family) find(v *semver.Version) *entry {
	for _, e := range f.entries {
		if e.spells(v) {
			return e
		}
	}
	return nil
}

// spells tells whether the entry is this very version, its build metadata included.
func (e *entry) spells(v *semver.Version) bool {
	return e.name.Version.Equal(v) && e.name.Version.Metadata() == v.Metadata()
}

// place returns the document that a finding about the plugin's name is about, and where in it.
func (f *family) place() (*krm.Item, krm.Path) {
	if len(f.shelves) > 0 {
		return f.shelves[0].source.Item, PluginPath(f.shelves[0].plugin).Key("name")
	}
	return f.entries[0].place("version")
}

// versions returns the versions as texts, the highest first.
func (f *family) versions() []string {
	texts := make([]string, len(f.entries))
	for i, e := range f.entries {
		texts[i] = e.name.Version.String()
	}
	return texts
}

// compareNames finds plugins whose names differ only in case.
func (c *Catalog) compareNames() {
	spelled := make(map[string]string, len(c.families))
	for _, name := range slices.Sorted(maps.Keys(c.families)) {
		if len(c.families[name].entries)+len(c.families[name].shelves) == 0 {
			continue // only documents that cannot be read have it
		}
		folded := strings.ToLower(name)
		other, taken := spelled[folded]
		if !taken {
			spelled[folded] = name
			continue
		}
		item, path := c.families[name].place()
		message := fmt.Sprintf("plugin %q must not differ only in case from plugin %q: rename one", name, other)
		c.problems = append(c.problems, krm.At(item, path, krm.Error, message))
	}
}
