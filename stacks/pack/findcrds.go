package pack

import (
	"cmp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	stacksv1 "github.com/resource-plugins/krm-functions/stacks/api/v1"
	"github.com/resource-plugins/krm-functions/stacks/registry"
)

// The group and kinds of Crossplane that define CRDs.
const (
	xrdGroup = "apiextensions.crossplane.io"
	xrdKind  = "CompositeResourceDefinition"
	mrdKind  = "ManagedResourceDefinition"
)

// clusterScoped is the scope of a CRD whose objects are not in namespaces.
const clusterScoped = "Cluster"

// crdsOf returns the CRDs that the package owns through one of its documents. Crossplane turns a ManagedResourceDefinition
// into a CRD, and a CompositeResourceDefinition into a CRD for its names and another for its claimNames, if it has them.
// The CRDs of a Function only describe its input. They are not applied to a cluster, so several functions may have the
// same CRD.
func (p *Package) crdsOf(item *krm.Item) []CRD {
	group, version, _ := strings.Cut(item.APIVersion(), "/")
	spec := krm.Value(item.YNode(), "spec")
	metaGroup, _, _ := strings.Cut(p.APIVersion, "/")
	switch {
	case metaGroup == stacksv1.MetaGroupName && p.Kind == stacksv1.KindFunction:
		return nil
	case group == registry.CRDGroup && item.Kind() == registry.CRDKind, group == xrdGroup && item.Kind() == mrdKind:
		return crd(spec, krm.Value(spec, "names"), cmp.Or(registry.Text(spec, "scope"), registry.NamespacedScope))
	case group == xrdGroup && item.Kind() == xrdKind:
		composite := crd(spec, krm.Value(spec, "names"), compositeScope(version, registry.Text(spec, "scope")))
		return append(composite, crd(spec, krm.Value(spec, "claimNames"), registry.NamespacedScope)...)
	}
	return nil
}

// compositeScope returns the scope of composite resources. In v1 they are all cluster-scoped; in v2 the default is
// Namespaced, and LegacyCluster is the scope of v1.
func compositeScope(version, scope string) string {
	if version == "v1" || scope == clusterScoped || scope == "LegacyCluster" {
		return clusterScoped
	}
	return registry.NamespacedScope
}

// crd returns the CRD of a spec with these names, or nil if it has no group, or neither a kind nor a plural.
func crd(spec, names *yaml.Node, scope string) []CRD {
	one := CRD{
		Group: registry.Text(spec, "group"), Kind: registry.Text(names, "kind"), Plural: registry.Text(names, "plural"),
		Scope: scope,
	}
	if one.Group == "" || one.Kind == "" && one.Plural == "" {
		return nil
	}
	versions := registry.Elements(spec, "versions")
	for _, version := range versions {
		if name := registry.Text(version, "name"); name != "" && registry.Text(version, "served") == "true" {
			one.Versions = append(one.Versions, name)
		}
	}
	if name := registry.Text(spec, "version"); name != "" && len(versions) == 0 { // the older form of v1beta1
		one.Versions = []string{name}
	}
	return []CRD{one}
}
