package document

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// PluginTest is a PluginTest document.
type PluginTest struct {
	// Item is the document as it was read.
	Item *krm.Item
	// Name is the document's own name: see Identity.
	Name string
	// Spec is the decoded part of the document's spec.
	Spec v1alpha1.PluginTestSpec
}

// ReadPluginTest decodes a PluginTest document. It returns the decoded part, and a problem for everything else.
func ReadPluginTest(item *krm.Item) (*PluginTest, []strictyaml.Problem) {
	t := &PluginTest{Item: item, Name: Identity(item)}
	return t, ReadSpec(item, &t.Spec)
}
