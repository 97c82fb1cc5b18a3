// Package catalog finds the plugin version that a sandbox's reference means. The plugin documents of a list are a
// catalog without further ado; Catalog documents (package listing) add what a folder of plugins cannot say, and
// PluginLock documents (package lock) what references mean already. Which order they come in never matters.
//
// Several catalogs compose (compose.go). What they say of one version's content must agree; of everything else, what
// the catalogs of the highest priority say counts.
//
// A reference that is not locked goes through a pipeline of filters (pipeline.go), and the highest version that is left
// is chosen. Every stage keeps count, so that an error and an explanation can tell what happened. Only chosen documents
// are decoded and digested, once each, and their digest must be the one that catalogs and locks have.
//
// What was chosen is recorded in two annotations of the sandbox (record.go), so that the next run can tell a pin that
// resolution wrote from one that somebody edited, and a document that changed under a published version from the one
// that was published.
package resolve

import (
	"maps"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Catalog is everything that a list says about plugins. It must not be used by several goroutines at once.
type Catalog struct {
	families   map[string]*family // by bare name
	names      []string           // the bare names of those that have a version, sorted
	sources    []*source
	locks      *LockSet
	kubernetes *semver.Version
	answers    map[question]answer
	problems   []krm.Result
}

// Option is a circumstance of resolution.
type Option func(*Catalog)

// ForKubernetes leaves out versions that require a higher version of Kubernetes. Nil means that any will do.
func ForKubernetes(v *semver.Version) Option { return func(c *Catalog) { c.kubernetes = v } }

// New returns a catalog of the plugin documents, the Catalog documents and the locks among items.
func NewCatalog(items []*krm.Item, options ...Option) *Catalog {
	c := &Catalog{families: map[string]*family{}, answers: map[question]answer{}, locks: NewLockSet(items)}
	for _, option := range options {
		option(c)
	}
	for _, item := range items {
		if item.Kind() == contract.ResourcePlugin && item.APIVersion() == contract.APIVersion {
			c.add(item)
		}
	}
	c.readSources(items)
	for _, s := range c.sources {
		c.list(s)
	}
	for _, bare := range slices.Sorted(maps.Keys(c.families)) {
		f := c.families[bare]
		if f.entries = c.compose(f.entries); len(f.entries) > 0 {
			c.names = append(c.names, bare)
		}
	}
	c.compareNames()
	c.checkChannels()
	return c
}

// add takes a plugin document.
func (c *Catalog) add(item *krm.Item) {
	text := document.Identity(item)
	name, err := version.ParseName(text)
	if err != nil {
		bare, _, _ := strings.Cut(text, "@")
		c.family(bare).cannotRead(&DocumentError{Item: item, Path: namePath, Message: err.Error()})
		return
	}
	f := c.family(name.Bare)
	f.entries = append(f.entries, &entry{name: name, item: item})
}

func (c *Catalog) family(bare string) *family {
	f := c.families[bare]
	if f == nil {
		f = &family{}
		c.families[bare] = f
	}
	return f
}

// Locks returns the list's locks.
func (c *Catalog) Locks() *LockSet { return c.locks }

// Problems returns what is wrong with catalogs and locks, and with every document that cannot be in one catalog with the
// others: two of equal precedence, whether or not they say the same, two contents of one version, two plugins whose
// names differ only in case, and channels that lead nowhere.
func (c *Catalog) Problems() []krm.Result { return slices.Concat(c.problems, c.locks.Problems()) }
