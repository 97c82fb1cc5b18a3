package dependency

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

// Publish adds the packages among items to a catalog and returns the images of the new versions, sorted. A version that
// is already listed must have the same digest. A package whose tag or digest is unknown is not added, with a warning.
// If one of the results is an error, the catalog must not be used.
func Publish(c *resolve.CatalogDocument, items []*krm.Item, options resolve.PublishOptions) ([]string, krm.Results) {
	g := newRegistry(krm.NewList(withoutCatalogs(items)...))
	results := slices.Clone(g.problems)
	var added []string
	for _, name := range g.names {
		for _, r := range g.byName[g.key(name)].releases {
			switch listed, problem := g.publish(c, r, options); {
			case problem != nil:
				results = append(results, *problem)
			case listed:
				added = append(added, pack.ImageOf(name, r.version, ""))
			}
		}
	}
	return added, results.Sort()
}

func withoutCatalogs(items []*krm.Item) []*krm.Item {
	return slices.DeleteFunc(slices.Clone(items), func(item *krm.Item) bool {
		return item.Kind() == contract.Catalog && item.APIVersion() == contract.APIVersion
	})
}

// publish adds a version to a catalog if it is new, and reports whether it did.
func (g *registry) publish(c *resolve.CatalogDocument, r *release, options resolve.PublishOptions) (bool, *krm.Result) {
	refuse := func(severity krm.Severity, format string, args ...any) (bool, *krm.Result) {
		result := krm.At(r.item, r.path, severity, fmt.Sprintf(format, args...))
		return false, &result
	}
	name := r.repository.name
	if r.parsed == nil || r.digest == "" {
		return refuse(krm.Warning, "package %q is not listed, since the tag or the digest of its image is not known: import the "+
			"image, or annotate the document with %s: IMAGE:v1.0.0@DIGEST", name, contract.PackageKey)
	}
	p := c.Package(name)
	if p == nil {
		c.Spec.Packages = append(c.Spec.Packages, v1alpha1.CatalogPackage{Name: name})
		p = c.Package(name)
	}
	listed := v1alpha1.CatalogPackageVersion{
		Version: r.version, Digest: r.digest, APIVersion: r.apiVersion, Kind: r.kind, Released: options.Released,
		Source: sourceOf(r.item, options.Folder),
	}
	if v := p.Version(r.version); v != nil {
		if v.Digest != r.digest {
			return refuse(krm.Error, "%s; the catalog has it as %s and it is %s now",
				resolve.PackageExists(pack.ImageOf(name, r.version, "")), v.Digest, r.digest)
		}
		return false, nil
	}
	for _, crd := range r.crds {
		listed.CRDs = append(listed.CRDs, v1alpha1.CatalogCRD{
			Group: crd.Group, Kind: crd.Kind, Plural: crd.Plural, Versions: crd.Versions, Scope: crd.Scope,
		})
	}
	for _, d := range r.dependsOn {
		if _, err := dependencySelector(d); err != nil {
			result := krm.At(r.item, krm.Path(d.Field), krm.Error, err.Error())
			return false, &result
		}
		listed.DependsOn = append(listed.DependsOn, v1alpha1.CatalogDependency{
			Package: d.Package, Kind: d.Kind, Version: d.Constraint, CRD: d.CRD,
		})
	}
	p.Description = cmp.Or(p.Description, descriptionOf(r.content))
	p.Versions = append(p.Versions, listed)
	return true, nil
}

// sourceOf returns the file of a document relative to a folder, or an empty string if it is unknown.
func sourceOf(item *krm.Item, folder string) string {
	file := item.PlaceOf("").File
	if file == "" {
		return ""
	}
	relative, err := filepath.Rel(folder, file)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(relative)
}

// descriptionOf returns the description of a package: an annotation, or the short overview of a stack.
func descriptionOf(p *pack.Package) string {
	if text, ok := p.Metadata.Annotation("meta.crossplane.io/description"); ok {
		return text
	}
	if overview := krm.Value(krm.Value(p.Metadata.YNode(), "spec"), "overviewShort"); overview != nil {
		return overview.Value
	}
	return ""
}

// Lint returns the contradictions between packages, catalogs and locks among items: duplicate versions, versions with
// two digests, and locked versions that have changed or disappeared. Results are sorted.
func Lint(items []*krm.Item) krm.Results {
	list := krm.NewList(items...)
	g := newRegistry(list)
	l := newLockState(list, resolve.Options{}, nil)
	l.apply(g)
	results := slices.Clone(g.problems)
	for _, name := range g.names {
		p := g.byName[g.key(name)]
		if p.gone != nil {
			results = append(results, krm.At(p.locked.by, specPath+".packages", krm.Error, p.gone.Error()))
		}
		for _, r := range p.releases {
			if r.broken != nil && r.broken.Changed {
				results = append(results, r.broken.Result())
			}
		}
	}
	return results.Sort()
}
