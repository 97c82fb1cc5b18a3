// Package listing reads and writes Catalog documents. A Catalog lists plugins with their published versions, and says
// of each what a folder of plugin documents cannot say: its digest, whether it is deprecated or yanked and why, what it
// requires, and where its document can be had. It also gives names to versions: channels.
//
//	apiVersion: resourceplugins.dev/v1alpha1
//	kind: Catalog
//	metadata:
//	  name: platform
//	  annotations:
//	    config.kubernetes.io/local-config: "true"
//	spec:
//	  priority: 10
//	  plugins:
//	  - name: hello-db
//	    channels:
//	      stable: 1.1.0
//	    versions:
//	    - version: 1.2.0
//	      digest: sha256:baad84644d49e41ee9a26ce99eb3e6db93069d607644f519c895a1e6f9b79fa7
//	      released: "2026-01-20"
//	      yanked: leaves its database behind
//	      requires:
//	        kubernetes: "1.29"
//	      source: https://example.com/plugins/hello-db-1.2.0.yaml
//	    - version: 1.1.0
//	      digest: sha256:9504528513e2bda632bcddf0780783bd3e86ddbbe33ed03caf0ba315dd16813a
//
// The package decodes, prints and checks one document. What several of them mean together is for package catalog.
package resolve

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Catalog is a Catalog document.
type CatalogDocument struct {
	// Item is the document as it came, nil for one that was made here.
	Item     *krm.Item
	Metadata v1alpha1.CatalogMetadata
	Spec     v1alpha1.CatalogSpec
}

// New returns an empty catalog.
func NewCatalogDocument(name string) *CatalogDocument {
	return &CatalogDocument{Metadata: v1alpha1.CatalogMetadata{
		Name: name, Annotations: map[string]string{contract.LocalConfigKey: "true"},
	}}
}

// Plugin returns the plugin of that bare name, nil where there is none.
func (c *CatalogDocument) Plugin(name string) *v1alpha1.CatalogPlugin {
	for i := range c.Spec.Plugins {
		if c.Spec.Plugins[i].Name == name {
			return &c.Spec.Plugins[i]
		}
	}
	return nil
}
