package resolve

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Bytes prints the document as block YAML that ends in a newline. The same content is always the same bytes: fields are
// in the order of the types, plugins and channels sorted by name, and versions by precedence, the highest first.
// Comments of a document that was read are not kept. The catalog itself is left as it is.
func (c *CatalogDocument) Bytes() ([]byte, error) {
	return krm.FromNode(listingNodeOf(reflect.ValueOf(catalogFields{
		APIVersion: contract.APIVersion, Kind: contract.Catalog, Metadata: c.Metadata, Spec: sortedSpec(c.Spec),
	})), "").Bytes()
}

type catalogFields struct {
	APIVersion string                   `json:"apiVersion"`
	Kind       string                   `json:"kind"`
	Metadata   v1alpha1.CatalogMetadata `json:"metadata"`
	Spec       v1alpha1.CatalogSpec     `json:"spec"`
}

func sortedSpec(s v1alpha1.CatalogSpec) v1alpha1.CatalogSpec {
	s.Plugins = slices.Clone(s.Plugins)
	slices.SortStableFunc(s.Plugins, func(a, b v1alpha1.CatalogPlugin) int { return cmp.Compare(a.Name, b.Name) })
	for i := range s.Plugins {
		s.Plugins[i].Versions = slices.Clone(s.Plugins[i].Versions)
		slices.SortStableFunc(s.Plugins[i].Versions, compareVersions)
	}
	return s
}

// compareVersions orders the highest first, and what is no version last.
func compareVersions(a, b v1alpha1.CatalogVersion) int {
	one, oneErr := semver.StrictNewVersion(a.Version)
	other, otherErr := semver.StrictNewVersion(b.Version)
	switch {
	case oneErr == nil && otherErr == nil:
		return cmp.Or(other.Compare(one), cmp.Compare(a.Version, b.Version))
	case oneErr == nil:
		return -1
	case otherErr == nil:
		return 1
	default:
		return cmp.Compare(a.Version, b.Version)
	}
}
