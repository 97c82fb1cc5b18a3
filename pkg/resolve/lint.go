package resolve

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Lint returns Problems, every document whose digest differs from that in a catalog or a lock, and every locked version
// that no longer exists. Results are sorted.
func Lint(items []*krm.Item) []krm.Result {
	c := NewCatalog(items)
	return c.lint(c.Problems())
}

// LintPublished is Lint without conflicts of plugin documents, for callers with their own rules for them.
func LintPublished(items []*krm.Item) []krm.Result {
	c := NewCatalog(items)
	return c.lint(slices.DeleteFunc(slices.Clone(c.Problems()), func(one krm.Result) bool {
		return one.ResourceRef != nil && one.ResourceRef.Kind == contract.ResourcePlugin
	}))
}

func (c *Catalog) lint(problems krm.Results) krm.Results {
	results := slices.Clone(problems)
	for _, bare := range slices.Sorted(maps.Keys(c.plugins)) {
		for _, e := range c.plugins[bare].entries {
			if found := c.verify(e); found != nil {
				results = append(results, found.Result())
			}
		}
	}
	return append(results, c.lintLocks()...).Sort()
}

// verify returns how a version differs from the published one, or nil if it does not. Other errors of its document are
// ignored.
func (c *Catalog) verify(e *entry) *DocumentError {
	_, locked := c.locks.byPin[e.name.String()]
	published := locked || e.item != nil && len(e.listed) > 0
	var found *DocumentError
	if e.broken == nil && published && errors.As(c.verifyContent(e), &found) && !found.Changed {
		found = nil
	}
	return found
}

// lintLocks finds locked versions that no longer exist. Unknown plugins are not reported: their catalog may be
// elsewhere.
func (c *Catalog) lintLocks() krm.Results {
	var results krm.Results
	for _, entry := range c.locks.entries() {
		name, _ := document.ParsePluginName(entry.Chosen) // the lock's own check accepts no other
		p := c.plugins[name.Bare]
		if p == nil || p.unread != nil || p.find(name.Version) != nil {
			continue
		}
		locked, _ := c.locks.byReference[entry.Asked]
		results = append(results, krm.At(locked.lock.item, entriesPath, krm.Error, fmt.Sprintf(
			"locked version %s must stay as long as a reference is locked to it: restore it, or move the lock; %s",
			name, strictyaml.ThereAre(p.versions()))))
	}
	return results
}
