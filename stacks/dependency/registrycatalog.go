package dependency

import (
	"cmp"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

// addCatalogs adds the packages in catalogs, those of the highest priority first.
func (g *registry) addCatalogs(items []*krm.Item) {
	type source struct {
		*resolve.CatalogDocument
		problems krm.Results
	}
	items = slices.DeleteFunc(items, func(item *krm.Item) bool {
		return krm.Value(krm.Value(item.YNode(), "spec"), "packages") == nil
	})
	sources := make([]source, len(items))
	krm.Each(len(items), func(i int) {
		sources[i].CatalogDocument, sources[i].problems = resolve.ReadCatalogDocument(items[i])
	})
	slices.SortStableFunc(sources, func(a, b source) int {
		return cmp.Or(cmp.Compare(b.Spec.Priority, a.Spec.Priority), cmp.Compare(label(a.Item), label(b.Item)))
	})
	for _, s := range sources {
		g.problems = append(g.problems, s.problems...)
		flaws := flawsOf(s.Item, s.problems)
		for i := range s.Spec.Packages {
			g.addListed(s.CatalogDocument, i, flaws)
		}
	}
}

// addListed adds a package of a catalog.
func (g *registry) addListed(c *resolve.CatalogDocument, i int, flaws map[krm.Path]*resolve.DocumentError) {
	listed, at := &c.Spec.Packages[i], resolve.PackagePath(i)
	if document.CheckImageRepository(listed.Name) != "" {
		return
	}
	p := g.repository(listed.Name)
	if listed.Deprecated != "" && (p.deprecated == "" || c.Spec.Priority == p.priority && listed.Deprecated < p.deprecated) {
		p.deprecated, p.priority = listed.Deprecated, c.Spec.Priority
	}
	for j := range listed.Versions {
		v, at := &listed.Versions[j], at.Key("versions").Index(j)
		if _, err := parseTag(v.Version); err != nil {
			continue // reported by the catalog's own check
		}
		r := &release{
			version: v.Version, digest: v.Digest, apiVersion: v.APIVersion, kind: v.Kind, listed: true, priority: c.Spec.Priority,
			yanked: v.Yanked, deprecated: v.Deprecated, source: v.Source, item: c.Item, path: at.Key("digest"),
			broken: cmp.Or(flaws[at], flaws[resolve.PackagePath(i)], flaws[""]),
			crds:   listedCRDs(v.CRDs), dependsOn: listedDependencies(at, v.DependsOn),
		}
		if other := p.find(r.version, r.digest); other != nil {
			g.merge(other, r)
			continue
		}
		p.add(r)
	}
}

func listedCRDs(listed []v1alpha1.CatalogCRD) []pack.CRD {
	crds := make([]pack.CRD, len(listed))
	for i, c := range listed {
		crds[i] = pack.CRD{Group: c.Group, Kind: c.Kind, Plural: c.Plural, Versions: c.Versions, Scope: c.Scope}
	}
	return crds
}

func listedDependencies(at krm.Path, listed []v1alpha1.CatalogDependency) []pack.Dependency {
	all := make([]pack.Dependency, len(listed))
	for i, d := range listed {
		all[i] = pack.Dependency{
			Package: d.Package, Kind: d.Kind, Constraint: d.Version, CRD: d.CRD, Field: string(at.Key("dependsOn").Index(i)),
		}
	}
	return all
}

// flawsOf returns the parts of a catalog that cannot be relied on, by path: a version of a package, a package with all
// its versions, or the whole catalog if the path is empty.
func flawsOf(item *krm.Item, problems krm.Results) map[krm.Path]*resolve.DocumentError {
	flaws := map[krm.Path]*resolve.DocumentError{}
	for _, problem := range problems {
		if problem.Severity != krm.Error || problem.Field == nil {
			continue
		}
		path := krm.Path(problem.Field.Path)
		if at, decides := resolve.Unreliable(path, "packages"); decides {
			flaws[at] = cmp.Or(flaws[at], &resolve.DocumentError{Item: item, Path: path, Message: problem.Message})
		}
	}
	return flaws
}
