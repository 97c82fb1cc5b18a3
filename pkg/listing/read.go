package listing

import (
	"github.com/resource-plugins/krm-functions/pkg/decode"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const specPath krm.Path = "spec"

// Read decodes a document. It returns the catalog with what could be decoded, and everything that could not.
func Read(item *krm.Item) (*Catalog, []decode.Problem) {
	c := &Catalog{Item: item, Metadata: Metadata{Name: item.Name(), Namespace: item.Namespace()}}
	c.readMetadata()
	spec := krm.Value(item.Node(), "spec")
	if spec == nil || spec.ShortTag() == "!!null" {
		return c, []decode.Problem{{Rule: decode.RuleRequired, Severity: krm.Error, Path: specPath, Message: "must be set"}}
	}
	return c, decode.Into(spec, specPath, &c.Spec)
}

// readMetadata decodes what a catalog keeps of its metadata. What does not fit is left out: it is not ours to judge.
func (c *Catalog) readMetadata() {
	metadata := krm.Value(c.Item.Node(), "metadata")
	decode.Into(krm.Value(metadata, "labels"), "", &c.Metadata.Labels)
	decode.Into(krm.Value(metadata, "annotations"), "", &c.Metadata.Annotations)
}
