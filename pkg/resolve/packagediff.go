package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// crossplanePackage adds how two states of a package differ.
func (c *comparison) crossplanePackage(was, is *v1alpha1.CatalogPackage) {
	c.field(is.Name, "description", was.Description, is.Description)
	c.reason(is.Name, "deprecated", was.Deprecated, is.Deprecated)
	tags := union(packageTags(was), packageTags(is))
	slices.SortFunc(tags, compareTags)
	for _, tag := range tags {
		c.packageVersion(is.Name+":"+tag, was.Version(tag), is.Version(tag))
	}
}

func (c *comparison) packageVersion(subject string, was, is *v1alpha1.CatalogPackageVersion) {
	switch {
	case was == nil:
		c.add("+", subject, "%s", is.Digest)
		added := *is
		added.Released, added.Deprecated, added.Yanked = "", "", ""
		was = &added
	case is == nil:
		c.add("!", subject, "must stay, since a request may use it: restore it, or yank it")
		c.lose("published")
		return
	case was.Digest != is.Digest:
		c.add("!", subject, "%s; it was %s and is %s now", PackageExists(subject), was.Digest, is.Digest)
	}
	c.field(subject, "kind", was.Kind, is.Kind)
	c.field(subject, "owns", ownedCRDs(was), ownedCRDs(is))
	c.field(subject, "depends on", dependencies(was), dependencies(is))
	c.field(subject, "description", was.Description, is.Description)
	c.field(subject, "released", was.Released, is.Released)
	c.reason(subject, "deprecated", was.Deprecated, is.Deprecated)
	c.reason(subject, "yanked", was.Yanked, is.Yanked)
	c.field(subject, "source", was.Source, is.Source)
}

// PackageExists is the refusal to publish a version of a package, NAME:VERSION, again with another content.
func PackageExists(image string) string {
	return fmt.Sprintf("package %q exists already; versions are immutable: publish another version", image)
}

// ownedCRDs lists the CRDs that a version owns, with the versions that are served.
func ownedCRDs(v *v1alpha1.CatalogPackageVersion) string {
	return strings.Join(texts(v.CRDs, func(crd v1alpha1.CatalogCRD) string {
		return crd.Plural + "." + crd.Group + "/" + strings.Join(crd.Versions, ",")
	}), " ")
}

func dependencies(v *v1alpha1.CatalogPackageVersion) string {
	return strings.Join(texts(v.DependsOn, func(d v1alpha1.CatalogDependency) string {
		if d.CRD != "" {
			return d.CRD
		}
		return strings.TrimSuffix(d.Package+":"+d.Version, ":")
	}), ", ")
}

func packageNames(c *CatalogDocument) []string {
	return texts(c.Spec.Packages, func(p v1alpha1.CatalogPackage) string { return p.Name })
}

func packageTags(p *v1alpha1.CatalogPackage) []string {
	return texts(p.Versions, func(v v1alpha1.CatalogPackageVersion) string { return v.Version })
}

// retractPackage notes why a package, or with a tag one of its versions, must not or should not be chosen. It returns
// false if the name is not that of a package: it has neither a slash nor a colon, and no package has it.
func retractPackage(
	c *CatalogDocument, name string, note func(*v1alpha1.CatalogPackage, *v1alpha1.CatalogPackageVersion) error,
) (bool, error) {
	slash := strings.LastIndexByte(name, '/') + 1
	last, tag, tagged := strings.Cut(name[slash:], ":")
	bare := name[:slash] + last
	p := c.Package(bare)
	switch {
	case p == nil && slash == 0 && !tagged:
		return false, nil
	case p == nil:
		return true, fmt.Errorf("package %q is not in catalog %q", bare, c.Name)
	case !tagged:
		return true, note(p, nil)
	}
	if v := p.Version(tag); v != nil {
		return true, note(p, v)
	}
	return true, fmt.Errorf("package %q has no version %s: %s", bare, tag, strictyaml.ThereAre(packageTags(p)))
}
