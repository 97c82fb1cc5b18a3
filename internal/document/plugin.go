package document

import (
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Plugin is a ResourcePlugin document.
type Plugin struct {
	// Item is the document as it was read.
	Item *krm.Item
	// Name is the document's own name, `bareName[@version]` as written: see Identity.
	Name string
	// Spec is the decoded part of the document's spec.
	Spec v1alpha1.ResourcePluginSpec
}

// ReadPlugin decodes a ResourcePlugin document. It returns the decoded part, and a problem for everything else.
func ReadPlugin(item *krm.Item) (*Plugin, []strictyaml.Problem) {
	p := &Plugin{Item: item, Name: Identity(item)}
	return p, ReadSpec(item, &p.Spec)
}

// previousNames is kustomize's record of an object's names before prefixes and suffixes were added.
const previousNames = "internal.config.kubernetes.io/previousNames"

// previousNamespaces is kustomize's record of an object's previous namespaces.
const previousNamespaces = "internal.config.kubernetes.io/previousNamespaces"

// PreviousNamespace returns the namespace that an object had before kustomize changed it, or "" if it did not.
func PreviousNamespace(item *krm.Item) string {
	namespaces, _ := item.Annotation(previousNamespaces)
	first, _, _ := strings.Cut(namespaces, ",")
	if first == "_non_namespaceable_" || first == "default" && item.Namespace() != "" || first == item.Namespace() {
		return ""
	}
	return first
}

// Identity returns an object's own name, which a kustomize namePrefix or nameSuffix does not change.
func Identity(item *krm.Item) string {
	if names, ok := item.Annotation(previousNames); ok && names != "" {
		first, _, _ := strings.Cut(names, ",")
		return first
	}
	return item.Name()
}
