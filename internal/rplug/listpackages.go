package rplug

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/subcommand"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// listedPackage is a Crossplane package of a catalog.
type listedPackage struct {
	Catalog string `json:"catalog"`
	*v1alpha1.CatalogPackage
}

func listedPackages(documents []*resolve.CatalogDocument) []listedPackage {
	var packages []listedPackage
	for _, document := range documents {
		for i := range document.Spec.Packages {
			packages = append(packages, listedPackage{document.Name, &document.Spec.Packages[i]})
		}
	}
	return packages
}

// printPackages prints a table of packages, and nothing if there are none.
func printPackages(out io.Writer, packages []listedPackage) error {
	if len(packages) == 0 {
		return nil
	}
	table := newTable(out, "PACKAGE", "CATALOG", "VERSIONS", "CRDS", "NOTE")
	for _, p := range packages {
		table.row(p.Name, p.Catalog, strconv.Itoa(len(p.Versions)), strings.Join(ownedCRDs(p.Versions), " "),
			note("", p.Deprecated, p.Description))
	}
	return table.writer.Flush()
}

// ownedCRDs returns the names of the CRDs of all versions, each once, sorted.
func ownedCRDs(versions []v1alpha1.CatalogPackageVersion) []string {
	var names []string
	for _, v := range versions {
		for _, crd := range v.CRDs {
			names = append(names, crd.Plural+"."+crd.Group)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// listedPackageVersion is a version of a package in a catalog.
type listedPackageVersion struct {
	Catalog string `json:"catalog"`
	*v1alpha1.CatalogPackageVersion
}

// packageVersionsOf returns the versions of a package, those of each catalog as it has them, and whether one lists it.
func packageVersionsOf(name string, documents []*resolve.CatalogDocument) (versions []listedPackageVersion, found bool) {
	for _, document := range documents {
		p := document.Package(name)
		if p == nil {
			continue
		}
		found = true
		for i := range p.Versions {
			versions = append(versions, listedPackageVersion{document.Name, &p.Versions[i]})
		}
	}
	return versions, found
}

func printPackageVersions(out io.Writer, versions []listedPackageVersion, output subcommand.Output) error {
	if output == subcommand.JSON {
		return subcommand.PrintJSON(out, map[string]any{"versions": versions})
	}
	table := newTable(out, "VERSION", "CATALOG", "KIND", "RELEASED", "DIGEST", "NOTE")
	for _, v := range versions {
		table.row(v.Version, v.Catalog, v.Kind, v.Released, v.Digest, note(v.Yanked, v.Deprecated, v.Description))
	}
	return table.writer.Flush()
}
