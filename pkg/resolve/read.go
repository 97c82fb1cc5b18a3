package resolve

import (
	"maps"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const listingSpecPath krm.Path = "spec"

// Read decodes a document. It returns the catalog with what could be decoded, and everything that could not.
func ReadCatalogDocument(item *krm.Item) (*CatalogDocument, []strictyaml.Problem) {
	c := &CatalogDocument{Item: item, Metadata: v1alpha1.CatalogMetadata{Name: item.Name(), Namespace: item.Namespace()}}
	c.readMetadata()
	spec := krm.Value(item.YNode(), "spec")
	if spec == nil || spec.ShortTag() == "!!null" {
		return c, []strictyaml.Problem{{Rule: strictyaml.RuleRequired, Severity: krm.Error, Path: listingSpecPath, Message: "must be set"}}
	}
	problems := strictyaml.Into(spec, listingSpecPath, &c.Spec)
	if len(problems) > 0 {
		c.dropChannels(problems)
	}
	return c, append(problems, unreasoned(spec)...)
}

// unreasoned finds `yanked` and `deprecated` that are there without a reason. To the decoder they are absent, and what
// somebody meant to take back would be chosen.
func unreasoned(spec *yaml.Node) (problems []strictyaml.Problem) {
	check := func(mapping *yaml.Node, at krm.Path, keys ...string) {
		for _, key := range keys {
			if value := krm.Value(mapping, key); isEmpty(value) {
				problems = append(problems, strictyaml.Problem{
					Rule: RuleCatalog, Severity: krm.Error, Path: at.Key(key), Message: "must give the reason, or be left out",
				})
			}
		}
	}
	for i, plugin := range elements(krm.Value(spec, "plugins")) {
		check(plugin, PluginPath(i), "deprecated")
		for j, version := range elements(krm.Value(plugin, "versions")) {
			check(version, VersionPath(i, j), "deprecated", "yanked")
		}
	}
	return problems
}

func isEmpty(value *yaml.Node) bool {
	return value != nil && value.Kind == yaml.ScalarNode && (value.Value == "" || value.Tag == "!!null")
}

// elements returns the elements of a list, none of what is no list.
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
		broken[problem.Path] = problem.Severity == krm.Error
	}
	for i, p := range c.Spec.Plugins {
		maps.DeleteFunc(p.Channels, func(name, _ string) bool { return broken[PluginPath(i).Key("channels").Key(name)] })
	}
}

// readMetadata decodes what a catalog keeps of its metadata. What does not fit is left out: it is not ours to judge.
func (c *CatalogDocument) readMetadata() {
	metadata := krm.Value(c.Item.YNode(), "metadata")
	strictyaml.Into(krm.Value(metadata, "labels"), "", &c.Metadata.Labels)
	strictyaml.Into(krm.Value(metadata, "annotations"), "", &c.Metadata.Annotations)
}
