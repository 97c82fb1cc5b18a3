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

// clusterScoped is the other scope of a CRD.
const clusterScoped = "Cluster"

// crdsOf returns the CRDs that a document of the package makes the package own: a CRD; a ManagedResourceDefinition, which
// becomes one; or a CompositeResourceDefinition, which becomes one of its names, and one of its claimNames if it has them.
// The CRDs of a Function only describe its input: no cluster gets them, so that several functions may have the same.
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

// compositeScope is the scope of composite resources. In v1 they are all in the cluster's scope; in v2 Namespaced is the
// default, and LegacyCluster the scope of v1.
func compositeScope(version, scope string) string {
	if version == "v1" || scope == clusterScoped || scope == "LegacyCluster" {
		return clusterScoped
	}
	return registry.NamespacedScope
}

// crd returns the CRD of a spec with these names, none if it has no kind.
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
