// Package catalog finds the plugin version that a sandbox's reference means. The plugin documents of a list are a
// catalog without further ado; which order they come in never matters.
//
// A reference goes through a pipeline of filters (pipeline.go), and the highest version that is left is chosen. Every
// stage keeps count, so that an error and an explanation can tell what happened. Only chosen documents are decoded and
// digested, once each.
//
// What was chosen is recorded in two annotations of the sandbox (record.go), so that the next run can tell a pin that
// resolution wrote from one that somebody edited, and a document that changed under a published version from the one
// that was published.
package catalog

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/plugin"
	"github.com/resource-plugins/krm-functions/pkg/version"
)

// Catalog is a set of plugin documents. It must not be used by several goroutines at once.
type Catalog struct {
	plugins  map[string][]*entry  // by bare name, the highest version first
	names    []string             // the bare names, sorted
	unread   map[string]*krm.Item // one document whose name cannot be read, by what stands for its bare name
	answers  map[string]answer    // what was resolved already
	problems []*DocumentError
}

// New returns a catalog of the plugin documents among items.
func New(items []*krm.Item) *Catalog {
	c := &Catalog{plugins: map[string][]*entry{}, unread: map[string]*krm.Item{}, answers: map[string]answer{}}
	for _, item := range items {
		if item.Kind() == contract.ResourcePlugin && item.APIVersion() == contract.APIVersion {
			c.add(item)
		}
	}
	c.names = slices.Sorted(maps.Keys(c.plugins))
	for _, bare := range c.names {
		c.plugins[bare] = c.arrange(c.plugins[bare])
	}
	c.compareNames()
	return c
}

func (c *Catalog) add(item *krm.Item) {
	text := plugin.Identity(item)
	name, err := version.ParseName(text)
	if err != nil {
		bare, _, _ := strings.Cut(text, "@")
		if other := c.unread[bare]; other == nil || label(item) < label(other) {
			c.unread[bare] = item
		}
		return
	}
	c.plugins[name.Bare] = append(c.plugins[name.Bare], &entry{name: name, item: item})
}

// arrange sorts the versions of one plugin, the highest first, and makes those that two documents publish unusable.
func (c *Catalog) arrange(entries []*entry) []*entry {
	slices.SortStableFunc(entries, compareEntries)
	entries = slices.CompactFunc(entries, sameDocument)
	for from := 0; from < len(entries); {
		to := from + 1
		for to < len(entries) && entries[to].name.Version.Equal(entries[from].name.Version) {
			to++
		}
		if to > from+1 {
			c.problems = append(c.problems, conflict(entries[from:to])...)
		}
		from = to
	}
	return entries
}

// compareEntries orders the highest version first. Only equal ones are worth a look at where they are from.
func compareEntries(a, b *entry) int {
	if order := b.name.Version.Compare(a.name.Version); order != 0 {
		return order
	}
	return cmp.Compare(label(a.item), label(b.item))
}

// Problems returns an error for every document that cannot be in one catalog with the others: two of equal precedence,
// whether or not they say the same, and two plugins whose names differ only in case.
func (c *Catalog) Problems() []krm.Result {
	results := make([]krm.Result, len(c.problems))
	for i, problem := range c.problems {
		results[i] = problem.Result()
	}
	return results
}
