package pack

import (
	"cmp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	stacksv1 "github.com/resource-plugins/krm-functions/stacks/api/v1"
)

// The groups and kinds of documents that define CRDs.
const (
	crdGroup = "apiextensions.k8s.io"
	crdKind  = "CustomResourceDefinition"
	xrdGroup = "apiextensions.crossplane.io"
	xrdKind  = "CompositeResourceDefinition"
	mrdKind  = "ManagedResourceDefinition"
)

// The scopes of a CRD.
const (
	clusterScoped    = "Cluster"
	namespacedScoped = "Namespaced"
)

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
	case group == crdGroup && item.Kind() == crdKind, group == xrdGroup && item.Kind() == mrdKind:
		return crd(spec, krm.Value(spec, "names"), cmp.Or(text(spec, "scope"), namespacedScoped))
	case group == xrdGroup && item.Kind() == xrdKind:
		composite := crd(spec, krm.Value(spec, "names"), compositeScope(version, text(spec, "scope")))
		return append(composite, crd(spec, krm.Value(spec, "claimNames"), namespacedScoped)...)
	}
	return nil
}

// compositeScope is the scope of composite resources. In v1 they are all in the cluster's scope; in v2 Namespaced is the
// default, and LegacyCluster the scope of v1.
func compositeScope(version, scope string) string {
	if version == "v1" || scope == clusterScoped || scope == "LegacyCluster" {
		return clusterScoped
	}
	return namespacedScoped
}

// crd returns the CRD of a spec with these names, none if it has no kind.
func crd(spec, names *yaml.Node, scope string) []CRD {
	one := CRD{Group: text(spec, "group"), Kind: text(names, "kind"), Plural: text(names, "plural"), Scope: scope}
	if one.Group == "" || one.Kind == "" && one.Plural == "" {
		return nil
	}
	versions := elements(spec, "versions")
	for _, version := range versions {
		if name := text(version, "name"); name != "" && text(version, "served") == "true" {
			one.Versions = append(one.Versions, name)
		}
	}
	if name := text(spec, "version"); name != "" && len(versions) == 0 { // the older form of v1beta1
		one.Versions = []string{name}
	}
	return []CRD{one}
}
