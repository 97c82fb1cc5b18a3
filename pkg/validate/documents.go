package validate

import (
	"iter"
	"slices"

	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// documents are all documents of a list that are checked.
type documents struct {
	plugins     []*plugin
	sandboxes   []*sandbox
	routeGroups []*routeGroup
	secrets     []*outputSecret
	tests       []*pluginTest

	hasCatalogs bool // catalogs decide the meaning of references

	index     *index
	versions  map[string]*plugin // by name and version in full
	resources []binding
	plugin    map[resource]*plugin // by the resource that it provides
	ofSecret  map[*document.OutputSecret]*sandbox
}

// routeGroup is a route group that is checked.
type routeGroup struct {
	*document.RouteGroup
	Document
	endpoints []endpoint
}

func newDocuments(list *krm.ResourceList, items []*krm.Item) *documents {
	d := &documents{}
	d.hasCatalogs = slices.ContainsFunc(list.Items(), func(item *krm.Item) bool {
		return item.Kind() == contract.Catalog && item.APIVersion() == contract.APIVersion
	})
	for _, item := range items {
		switch fresh := (Document{item: item}); item.Kind() {
		case contract.ResourcePlugin:
			d.plugins = append(d.plugins, &plugin{Document: fresh})
		case contract.Sandbox:
			d.sandboxes = append(d.sandboxes, &sandbox{Document: fresh})
		case contract.OutputSecret:
			d.secrets = append(d.secrets, &outputSecret{Document: fresh})
		case contract.PluginTest:
			d.tests = append(d.tests, &pluginTest{Document: fresh})
		default:
			d.routeGroups = append(d.routeGroups, &routeGroup{Document: fresh})
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
	g.RouteGroup, g.Document = read, newDocument(g.item, problems)
	for i, e := range g.Spec.Endpoints {
		g.endpoints = append(g.endpoints, endpoint{name: e.Name, target: e.Target, routed: true, path: endpointPath(i)})
	}
	checksOf(func(r *Rule, check routeGroupCheck) { check(r, g) })
}

// all returns all documents, by kind.
func (d *documents) all() []*Document {
	all := make([]*Document, 0, len(d.plugins)+len(d.sandboxes)+len(d.routeGroups)+len(d.secrets)+len(d.tests))
	for _, p := range d.plugins {
		all = append(all, &p.Document)
	}
	for _, s := range d.sandboxes {
		all = append(all, &s.Document)
	}
	for _, g := range d.routeGroups {
		all = append(all, &g.Document)
	}
	for _, s := range d.secrets {
		all = append(all, &s.Document)
	}
	for _, t := range d.tests {
		all = append(all, &t.Document)
	}
	return all
}

// identity distinguishes the documents of a kind: by the name, and the cluster or the version.
type identity struct{ name, within string }

// repeated iterates over the documents whose identity an earlier document has, with that one. Documents without a name
// are left out.
func repeated[D interface{ document() *krm.Item }](all []D, idOf func(D) identity) iter.Seq2[D, D] {
	return func(yield func(one, other D) bool) {
		first := make(map[identity]D, len(all))
		for _, one := range all {
			id := idOf(one)
			other, found := first[id]
			if !found && id.name != "" {
				first[id] = one
			} else if found && !SameOrigin(other.document(), one.document()) && !yield(one, other) {
				return
			}
		}
	}
}

func (c *Document) document() *krm.Item { return c.item }

// SameOrigin reports whether two items are one document, sent twice by overlapping selectors of kpt.
func SameOrigin(a, b *krm.Item) bool {
	for _, key := range []string{kioutil.PathAnnotation, kioutil.IndexAnnotation} {
		one, given := a.Annotation(key)
		other, too := b.Annotation(key)
		if !given || !too || one != other {
			return false
		}
	}
	return true
}

// Origin returns " in FILE" with the file that an item is from, for the end of a message; empty if the file is not known.
func Origin(item *krm.Item) string {
	if place := item.PlaceOf(namePath); place.File != "" {
		return " in " + place.File
	}
	return ""
}
