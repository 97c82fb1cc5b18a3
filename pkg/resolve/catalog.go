package resolve

import (
	"maps"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Catalog holds the plugin versions that a list knows. Plugin documents are a catalog by themselves; Catalog documents
// add channels, yanked versions, digests and requirements, and PluginLock documents keep earlier resolutions. The order
// of the documents does not matter.
//
// Several Catalog documents are merged. They must agree on the digest of a version; for all other fields, the catalogs
// of the highest priority take precedence. An unreliable version is never skipped silently: choosing it is an error.
//
// A Catalog is not safe for concurrent use.
type Catalog struct {
	plugins    map[string]*pluginVersions // by bare name
	names      []string                   // the bare names of plugins with a version, sorted
	locks      *lockSet
	kubernetes *semver.Version
	answers    map[question]answer
	problems   []krm.Result
}

// NewCatalog returns a catalog of the plugin documents, the Catalog documents and the locks among items.
func NewCatalog(items []*krm.Item) *Catalog {
	c := &Catalog{plugins: map[string]*pluginVersions{}, answers: map[question]answer{}, locks: newLockSet(items)}
	for _, item := range items {
		if item.Kind() == contract.ResourcePlugin && item.APIVersion() == contract.APIVersion {
			c.add(item)
		}
	}
	c.readSources(items)
	for _, bare := range slices.Sorted(maps.Keys(c.plugins)) {
		p := c.plugins[bare]
		if p.entries = c.compose(p.entries); len(p.entries) > 0 {
			c.names = append(c.names, bare)
		}
		c.checkChannels(p)
	}
	c.compareNames()
	return c
}

// ForKubernetes excludes versions that require a higher version of Kubernetes, and returns the catalog. Nil excludes no
// version.
func (c *Catalog) ForKubernetes(v *semver.Version) *Catalog {
	c.kubernetes = v
	return c
}

// add adds a plugin document.
func (c *Catalog) add(item *krm.Item) {
	text := document.Identity(item)
	name, err := document.ParsePluginName(text)
	if err != nil {
		bare, _, _ := strings.Cut(text, "@")
		c.plugin(bare).cannotRead(&DocumentError{Item: item, Path: namePath, Message: err.Error()})
		return
	}
	p := c.plugin(name.Bare)
	p.entries = append(p.entries, &entry{name: name, item: item})
}

func (c *Catalog) plugin(bare string) *pluginVersions {
	p := c.plugins[bare]
	if p == nil {
		p = &pluginVersions{}
		c.plugins[bare] = p
	}
	return p
}

// Problems returns the problems of catalogs and locks, and the conflicts between documents: two versions of equal
// precedence, even if their documents are equal, two contents of one version, two plugins whose names differ only in
// case, and channels that name a missing or yanked version.
func (c *Catalog) Problems() []krm.Result { return slices.Concat(c.problems, c.locks.problems) }
