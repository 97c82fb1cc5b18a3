package resolve

import (
	"maps"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// CatalogDocument is one Catalog document. It lists plugins with their published versions and adds data that plugin
// documents cannot have: digests, deprecation, yanking and the reasons for them, requirements, and the locations of
// documents. It also names versions: channels.
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
type CatalogDocument struct {
	// Item is the item that the document was read from, or nil for a new one.
	Item *krm.Item
	v1alpha1.Catalog
}

const specPath krm.Path = "spec"

// pluginPath is the field path of plugin i of a catalog, versionPath that of its version j.
func pluginPath(i int) krm.Path     { return specPath.Key("plugins").Index(i) }
func versionPath(i, j int) krm.Path { return pluginPath(i).Key("versions").Index(j) }

// NewCatalogDocument returns an empty catalog.
func NewCatalogDocument(name string) *CatalogDocument {
	return &CatalogDocument{Catalog: v1alpha1.Catalog{
		TypeMeta:   metav1.TypeMeta{APIVersion: contract.APIVersion, Kind: contract.Catalog},
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{contract.LocalConfigKey: "true"}},
	}}
}

// Plugin returns the plugin with that bare name, or nil if the catalog does not list it.
func (c *CatalogDocument) Plugin(name string) *v1alpha1.CatalogPlugin {
	for i := range c.Spec.Plugins {
		if c.Spec.Plugins[i].Name == name {
			return &c.Spec.Plugins[i]
		}
	}
	return nil
}

// ReadCatalogDocument decodes a Catalog document and checks it by itself. It returns the decoded part of the catalog
// and all problems: wrong types, invalid or repeated names, versions that are not strict semver or have the precedence
// of another, and invalid digests, dates and channels. Checks that need other documents, such as whether the version of
// a channel exists, are left to Catalog.Problems and Lint.
func ReadCatalogDocument(item *krm.Item) (*CatalogDocument, []krm.Result) {
	c, problems := readCatalog(item)
	return c, resultsOf(item, problems)
}

func readCatalog(item *krm.Item) (*CatalogDocument, []strictyaml.Problem) {
	c := NewCatalogDocument(item.Name())
	c.Item, c.Namespace, c.Annotations = item, item.Namespace(), nil
	// Metadata of the wrong type is dropped: this package does not check it.
	metadata := krm.Value(item.YNode(), "metadata")
	strictyaml.Into(krm.Value(metadata, "labels"), "", &c.Labels)
	strictyaml.Into(krm.Value(metadata, "annotations"), "", &c.Annotations)
	spec := krm.Value(item.YNode(), "spec")
	if spec == nil || spec.ShortTag() == "!!null" {
		return c, []strictyaml.Problem{strictyaml.Error(specPath, "must be set")}
	}
	problems := append(document.RepeatedKeys(item), strictyaml.Into(spec, specPath, &c.Spec)...)
	if len(problems) > 0 {
		c.dropChannels(problems)
	}
	problems = append(problems, missingReasons(spec)...)
	return c, append(problems, c.check()...)
}

// missingReasons finds `yanked` and `deprecated` without a reason. The decoder treats them as absent, so a version that
// was meant to be yanked would be chosen.
func missingReasons(spec *yaml.Node) (problems []strictyaml.Problem) {
	check := func(mapping *yaml.Node, at krm.Path, keys ...string) {
		for _, key := range keys {
			value := krm.Value(mapping, key)
			if value != nil && value.Kind == yaml.ScalarNode && (value.Value == "" || value.Tag == "!!null") {
				problems = append(problems, strictyaml.Error(at.Key(key), "must give the reason, or be left out"))
			}
		}
	}
	for _, list := range []string{"plugins", "packages"} {
		for i, listed := range elements(krm.Value(spec, list)) {
			at := specPath.Key(list).Index(i)
			check(listed, at, "deprecated")
			for j, version := range elements(krm.Value(listed, "versions")) {
				check(version, at.Key("versions").Index(j), "deprecated", "yanked")
			}
		}
	}
	return problems
}

// elements returns the elements of a list, or nil if the node is not a list.
func elements(list *yaml.Node) []*yaml.Node {
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil
	}
	return list.Content
}

// dropChannels removes the channels whose version could not be decoded.
func (c *CatalogDocument) dropChannels(problems []strictyaml.Problem) {
	broken := make(map[krm.Path]bool, len(problems))
	for _, problem := range problems {
		broken[problem.Path] = problem.IsError()
	}
	for i, p := range c.Spec.Plugins {
		maps.DeleteFunc(p.Channels, func(name, _ string) bool { return broken[pluginPath(i).Key("channels").Key(name)] })
	}
}
