package resolve

import (
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// PackagePath is the field path of the package i of a catalog.
func PackagePath(i int) krm.Path { return packagesPath.Index(i) }

// Package returns the package of that name, nil if the catalog does not list it.
func (c *CatalogDocument) Package(name string) *v1alpha1.CatalogPackage {
	for i := range c.Spec.Packages {
		if c.Spec.Packages[i].Name == name {
			return &c.Spec.Packages[i]
		}
	}
	return nil
}

// packages checks the packages of a catalog.
func (k *checker) packages(c *CatalogDocument) {
	seen := map[string]bool{}
	for i := range c.Spec.Packages {
		p, at := &c.Spec.Packages[i], PackagePath(i)
		if p.Name == "" {
			continue // reported by decoding
		}
		if wrong := document.CheckImageRepository(p.Name); wrong != "" {
			k.report(at.Key("name"), "%s", wrong)
		} else if key := document.ImageRepository(p.Name); seen[key] {
			k.report(at.Key("name"), "package %q must be listed once: put its versions together", p.Name)
		} else {
			seen[key] = true
		}
		versions := map[string]string{}
		for j := range p.Versions {
			k.packageVersion(at.Key("versions").Index(j), p, &p.Versions[j], versions)
		}
	}
}

// packageVersion checks a version. The map holds the versions before it, by the part that decides their precedence.
func (k *checker) packageVersion(
	at krm.Path, p *v1alpha1.CatalogPackage, v *v1alpha1.CatalogPackageVersion, versions map[string]string,
) {
	tag := strings.TrimPrefix(v.Version, "v")
	switch _, err := document.ParseStrictVersion(tag); {
	case v.Version == "": // reported by decoding
	case err != nil || strings.Contains(tag, "+"):
		problem := k.report(at.Key("version"), "version must be a tag such as v1.0.0, not %q", v.Version)
		if loose, err := document.ParseVersion(v.Version); err == nil && loose.Metadata() == "" {
			problem.Proposed = "v" + loose.String()
		}
	case versions[tag] != "":
		k.report(at.Key("version"), "versions %s and %s of package %q must not have the same precedence: remove one",
			min(versions[tag], v.Version), max(versions[tag], v.Version), p.Name)
	default:
		versions[tag] = v.Version
	}
	k.published(at, v.Digest, v.Released)
	for i, crd := range v.CRDs {
		if crd.Scope != "" && crd.Scope != "Cluster" && crd.Scope != "Namespaced" {
			k.report(at.Key("crds").Index(i).Key("scope"), "must be Cluster or Namespaced, not %q", crd.Scope)
		}
	}
	for i, d := range v.DependsOn {
		k.dependency(at.Key("dependsOn").Index(i), d)
	}
}

func (k *checker) dependency(at krm.Path, d v1alpha1.CatalogDependency) {
	if (d.Package == "") == (d.CRD == "") {
		k.report(at, "must have one of package and crd")
		return
	}
	if wrong := document.CheckImageRepository(d.Package); d.Package != "" && wrong != "" {
		k.report(at.Key("package"), "%s", wrong)
	}
	if d.CRD != "" && d.Version != "" {
		k.report(at.Key("version"), "must not be set beside crd, which has the version that must be served")
	}
	if plural, group, ok := strings.Cut(d.CRD, "."); d.CRD != "" && (!ok || plural == "" || strings.HasPrefix(group, "/")) {
		k.report(at.Key("crd"), "must be PLURAL.GROUP/VERSION or *.GROUP/VERSION, not %q", d.CRD)
	}
}

// published checks the fields that versions of plugins and of packages have in common.
func (k *checker) published(at krm.Path, sum, released string) {
	if sum != "" && !document.IsDigest(sum) {
		k.report(at.Key("digest"), "must be sha256: and 64 hexadecimal digits in lower case, not %q", sum)
	}
	if !isDay(released) {
		k.report(at.Key("released"), "must be a day such as \"2026-01-20\", not %q", released)
	}
}
