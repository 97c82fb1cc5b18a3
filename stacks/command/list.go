package command

import (
	"slices"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// listedPackage is a package of a catalog.
type listedPackage struct {
	Catalog string `json:"catalog"`
	*v1alpha1.CatalogPackage
}

// list lists the packages of catalogs, and returns nil if the catalogs have no packages.
func list(documents []*resolve.CatalogDocument) *rplug.Listing {
	listing := &rplug.Listing{Key: "packages", Titles: []string{"PACKAGE", "CATALOG", "VERSIONS", "CRDS", "NOTE"}}
	var packages []listedPackage
	for _, document := range documents {
		for i := range document.Spec.Packages {
			p := &document.Spec.Packages[i]
			packages = append(packages, listedPackage{document.Name, p})
			listing.Rows = append(listing.Rows, []string{p.Name, document.Name, strconv.Itoa(len(p.Versions)),
				strings.Join(ownedCRDs(p.Versions), " "), rplug.Note("", p.Deprecated, p.Description)})
		}
	}
	if len(packages) == 0 {
		return nil
	}
	listing.JSON = packages
	return listing
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

// listedVersion is a version of a package in a catalog.
type listedVersion struct {
	Catalog string `json:"catalog"`
	*v1alpha1.CatalogPackageVersion
}

// versions lists the versions of a package as each catalog has them, and returns nil if no catalog lists the package.
func versions(documents []*resolve.CatalogDocument, name string) *rplug.Listing {
	listing := &rplug.Listing{Key: "versions", Titles: []string{"VERSION", "CATALOG", "KIND", "RELEASED", "DIGEST", "NOTE"}}
	var all []listedVersion
	found := false
	for _, document := range documents {
		p := document.Package(name)
		if p == nil {
			continue
		}
		found = true
		for i := range p.Versions {
			v := &p.Versions[i]
			all = append(all, listedVersion{document.Name, v})
			listing.Rows = append(listing.Rows, []string{v.Version, document.Name, v.Kind, v.Released, v.Digest,
				rplug.Note(v.Yanked, v.Deprecated, v.Description)})
		}
	}
	if !found {
		return nil
	}
	listing.JSON = all
	return listing
}
