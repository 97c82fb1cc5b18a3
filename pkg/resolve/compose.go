package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// compose merges documents and catalog entries of the same version into one entry, the highest version first. A version
// on which they disagree cannot be chosen.
func (c *Catalog) compose(all []*entry) []*entry {
	slices.SortStableFunc(all, compareEntries)
	all = slices.CompactFunc(all, func(a, b *entry) bool {
		return a.item != nil && b.item != nil && a.name.Version.Equal(b.name.Version) && sameFile(a.item, b.item)
	})
	composed := all[:0]
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].name.Version.Equal(all[0].name.Version) {
			n++
		}
		composed = append(composed, c.merge(all[:n])...)
		all = all[n:]
	}
	for _, e := range composed {
		e.describe()
	}
	return composed
}

// compareEntries orders the highest version first. Among equal versions, documents come first, then the catalogs of the
// highest priority.
func compareEntries(a, b *entry) int {
	if order := b.name.Version.Compare(a.name.Version); order != 0 {
		return order
	}
	if (a.item == nil) != (b.item == nil) {
		return cmp.Compare(len(a.listed), len(b.listed))
	}
	return cmp.Or(cmp.Compare(b.priority(), a.priority()), cmp.Compare(a.label(), b.label()),
		cmp.Compare(a.name.String(), b.name.String()), cmp.Compare(a.listedDigest(), b.listedDigest()))
}

// merge makes one entry of several of equal precedence, or marks them all as broken.
func (c *Catalog) merge(group []*entry) []*entry {
	if len(group) == 1 {
		return group
	}
	first := group[0]
	of := fmt.Sprintf("version %s of plugin %q must", first.name.Version, first.name.Bare)
	names := enumerate(group, (*entry).label)
	contents := slices.DeleteFunc(slices.Clone(group), func(e *entry) bool { return e.listedDigest() == "" })
	switch {
	case group[1].item != nil:
		c.refuse(group, "version", of+" be published once, not by "+names+": remove one, or bump its version")
		return group
	case !agree(group, func(e *entry) string { return e.name.String() }):
		c.refuse(group, "version", of+" be the only one of its precedence, not listed by "+names+": remove one")
		return group
	case !agree(contents, (*entry).listedDigest):
		c.refuse(contents, "digest", of+" have one content, not "+enumerate(contents, func(e *entry) string {
			return e.listedDigest() + " by " + e.label()
		})+": versions are immutable; remove one, or bump its version")
	}
	for _, e := range group[1:] {
		first.listed = append(first.listed, e.listed...)
		first.broken = cmp.Or(first.broken, e.broken)
	}
	return group[:1]
}

// listedDigest is the digest that a catalog has, empty if only a document has the version.
func (e *entry) listedDigest() string {
	if len(e.listed) == 0 {
		return ""
	}
	return e.listed[0].Digest
}

func agree(entries []*entry, on func(*entry) string) bool {
	return !slices.ContainsFunc(entries, func(e *entry) bool { return on(e) != on(entries[0]) })
}

func enumerate(entries []*entry, text func(*entry) string) string {
	const most = 5
	if more := len(entries) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(texts(entries[:most], text), " and "), more)
	}
	return strings.Join(texts(entries, text), " and ")
}

// refuse marks conflicting entries as broken and reports each: in a catalog at this field of the version, unless
// several entries are from that catalog, since its own check reports them.
func (c *Catalog) refuse(entries []*entry, field, message string) {
	count := map[*krm.Item]int{}
	for _, e := range entries {
		item, _ := e.place(field)
		count[item]++
	}
	for _, e := range entries {
		item, path := e.place(field)
		e.broken = &DocumentError{Item: item, Path: path, Message: message}
		if count[item] == 1 {
			c.problems = append(c.problems, e.broken.Result())
		}
	}
}
