package listing

import (
	"maps"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/decode"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const specPath krm.Path = "spec"

// Read decodes a document. It returns the catalog with what could be decoded, and everything that could not.
func Read(item *krm.Item) (*Catalog, []decode.Problem) {
	c := &Catalog{Item: item, Metadata: Metadata{Name: item.Name(), Namespace: item.Namespace()}}
	c.readMetadata()
	spec := krm.Value(item.YNode(), "spec")
	if spec == nil || spec.ShortTag() == "!!null" {
		return c, []decode.Problem{{Rule: decode.RuleRequired, Severity: krm.Error, Path: specPath, Message: "must be set"}}
	}
	problems := decode.Into(spec, specPath, &c.Spec)
	if len(problems) > 0 {
		c.dropChannels(problems)
	}
	return c, append(problems, unreasoned(spec)...)
}

// unreasoned finds `yanked` and `deprecated` that are there without a reason. To the decoder they are absent, and what
// somebody meant to take back would be chosen.
func unreasoned(spec *yaml.Node) (problems []decode.Problem) {
	check := func(mapping *yaml.Node, at krm.Path, keys ...string) {
		for _, key := range keys {
			if value := krm.Value(mapping, key); isEmpty(value) {
				problems = append(problems, decode.Problem{
					Rule: Rule, Severity: krm.Error, Path: at.Key(key), Message: "must give the reason, or be left out",
				})
			}
		}
	}
	for i, plugin := range elements(krm.Value(spec, "plugins")) {
		check(plugin, PathOf(i), "deprecated")
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
func (c *Catalog) dropChannels(problems []decode.Problem) {
	broken := make(map[krm.Path]bool, len(problems))
	for _, problem := range problems {
		broken[problem.Path] = problem.Severity == krm.Error
	}
	for i, p := range c.Spec.Plugins {
		maps.DeleteFunc(p.Channels, func(name, _ string) bool { return broken[PathOf(i).Key("channels").Key(name)] })
	}
}

// readMetadata decodes what a catalog keeps of its metadata. What does not fit is left out: it is not ours to judge.
func (c *Catalog) readMetadata() {
	metadata := krm.Value(c.Item.YNode(), "metadata")
	decode.Into(krm.Value(metadata, "labels"), "", &c.Metadata.Labels)
	decode.Into(krm.Value(metadata, "annotations"), "", &c.Metadata.Annotations)
}
