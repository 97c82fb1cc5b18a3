package resolve

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Lint returns everything that is wrong with the catalogs and locks among items, and what plugin documents, catalogs and
// locks disagree on: Problems, every document that is not what a catalog or a lock says was published, and every locked
// version that is not there any more. Results are sorted.
func Lint(items []*krm.Item) []krm.Result {
	c := NewCatalog(items)
	return c.lint(c.Problems())
}

// LintPublished is Lint without what plugin documents break among themselves, for whoever checks that by rules of its own.
func LintPublished(items []*krm.Item) []krm.Result {
	c := NewCatalog(items)
	return c.lint(slices.DeleteFunc(slices.Clone(c.Problems()), func(one krm.Result) bool {
		return one.ResourceRef != nil && one.ResourceRef.Kind == contract.ResourcePlugin
	}))
}

func (c *Catalog) lint(problems krm.Results) krm.Results {
	results := slices.Clone(problems)
	for _, bare := range slices.Sorted(maps.Keys(c.families)) {
		for _, e := range c.families[bare].entries {
			if found := c.verify(e); found != nil {
				results = append(results, found.Result())
			}
		}
	}
	return append(results, c.lintLocks()...).Sort()
}

// verify returns in what a version differs from what was published, nil where it does not. What is wrong with a document
// otherwise is not looked for.
func (c *Catalog) verify(e *entry) *DocumentError {
	_, _, locked := c.locks.Chosen(e.name.String())
	published := locked || e.item != nil && len(e.listed) > 0
	var found *DocumentError
	if e.broken == nil && published && errors.As(cmp.Or(e.load(), c.keepsTo(e)), &found) && !found.Changed {
		found = nil
	}
	return found
}

// lintLocks finds locked versions that have disappeared. Of plugins that nothing is known about nothing is said: their
// catalog may be elsewhere.
func (c *Catalog) lintLocks() krm.Results {
	var results krm.Results
	for _, entry := range c.locks.Entries() {
		name, _ := version.ParseName(entry.Chosen) // the lock's own check lets no other pass
		f := c.families[name.Bare]
		if f == nil || f.unread != nil || f.find(name.Version) != nil {
			continue
		}
		_, by, _ := c.locks.Get(entry.Asked)
		results = append(results, krm.At(by.Item, "spec.plugins", krm.Error, fmt.Sprintf(
			"locked version %s must stay as long as a reference is locked to it: restore it, or move the lock; %s",
			name, thereAre(f.versions()))))
	}
	return results
}
