package validate

import (
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// documents are all documents of a list that are checked.
type documents struct {
	plugins     []*plugin
	sandboxes   []*sandbox
	routeGroups []*routeGroup
	hasCatalogs bool // catalogs decide what references mean

	index     *index
	versions  map[string]*plugin // by name and version in full
	resources []binding
}

// routeGroup is a route group that is checked.
type routeGroup struct {
	*document.RouteGroup
	checked
}

func newDocuments(list *krm.ResourceList, items []*krm.Item) *documents {
	d := &documents{}
	d.hasCatalogs = slices.ContainsFunc(list.Items(), func(item *krm.Item) bool {
		return item.Kind() == contract.Catalog && item.APIVersion() == contract.APIVersion
	})
	for _, item := range items {
		switch fresh := (checked{item: item}); item.Kind() {
		case contract.ResourcePlugin:
			d.plugins = append(d.plugins, &plugin{checked: fresh})
		case contract.Sandbox:
			d.sandboxes = append(d.sandboxes, &sandbox{checked: fresh})
		default:
			d.routeGroups = append(d.routeGroups, &routeGroup{checked: fresh})
		}
	}
	return d
}

// check runs the checks that look at all documents. Each document must have been checked.
func (d *documents) check() {
	checksOf(func(r *Rule, check listCheck) { check.run(r, d) })
}

func (g *routeGroup) check() {
	read, problems := document.ReadRouteGroup(g.item)
	g.RouteGroup, g.checked = read, newChecked(g.item, problems)
	checksOf(func(r *Rule, check routeGroupCheck) { check(r, g) })
}

// all returns all documents, by kind.
func (d *documents) all() []*checked {
	all := make([]*checked, 0, len(d.plugins)+len(d.sandboxes)+len(d.routeGroups))
	for _, p := range d.plugins {
		all = append(all, &p.checked)
	}
	for _, s := range d.sandboxes {
		all = append(all, &s.checked)
	}
	for _, g := range d.routeGroups {
		all = append(all, &g.checked)
	}
	return all
}

// earlier returns the first document with an identity, and whether it is another one than this. A first document is
// recorded.
func earlier[ID comparable, D interface{ document() *krm.Item }](first map[ID]D, id ID, one D) (other D, found bool) {
	if other, found = first[id]; !found {
		first[id] = one
		return other, false
	}
	return other, !sameOrigin(other.document(), one.document())
}

func (c *checked) document() *krm.Item { return c.item }

// sameOrigin reports whether two items are one document, sent twice by overlapping selectors of kpt.
func sameOrigin(a, b *krm.Item) bool {
	for _, key := range []string{"internal.config.kubernetes.io/path", "internal.config.kubernetes.io/index"} {
		one, given := a.Annotation(key)
		other, too := b.Annotation(key)
		if !given || !too || one != other {
			return false
		}
	}
	return true
}

// origin says which file an item is from, if that is known.
func origin(item *krm.Item) string {
	if place := item.PlaceOf(namePath); place.File != "" {
		return " in " + place.File
	}
	return ""
}
