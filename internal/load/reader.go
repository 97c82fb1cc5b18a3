package load

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// reader turns one document's text into objects.
type reader struct {
	source  source
	chunk   chunk
	options Options

	places    *places // of all objects of the text
	documents []Document
	findings  krm.Results
	embedded  map[string][]byte // the files that the document embeds
}

func (r *reader) read() {
	if item, above := foreign(r.chunk.text); item != nil {
		r.places.above = r.chunk.line + above
		item.Locate(r.places)
		r.documents = append(r.documents, Document{Item: item})
		return
	}
	root, problems := parse(r.chunk)
	for _, p := range problems {
		r.report(p.Line+r.chunk.line, p.Column, p.Severity, p.Message)
	}
	if root == nil || root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return
	}
	r.document(root)
}

// foreign returns an object of another API group without parsing it, since its tree may not be needed, and how many
// lines of the text are above it. It returns nil if the text may be anything else.
func foreign(text []byte) (item *krm.Item, above int) {
	if bytes.HasPrefix(text, []byte("---")) {
		if !isBlank(text[:lineEnd(text, 0)]) {
			return nil, 0
		}
		text = text[lineEnd(text, 0):]
		above = 1
	}
	if !bytes.HasPrefix(text, []byte("apiVersion:")) && !bytes.Contains(text, []byte("\napiVersion:")) {
		return nil, 0
	}
	item, err := krm.NewItem(text)
	if err != nil || item.Kind() == "" {
		return nil, 0
	}
	switch group, _, _ := strings.Cut(item.APIVersion(), "/"); group {
	case contract.Group, listGroup, "":
		return nil, 0
	}
	return item, above
}

// listGroup is the API group of a ResourceList.
const listGroup = "config.kubernetes.io"

// document reads a tree as what its top-level keys say it is. What is neither an object nor a native document is an
// error in a file that was named; in a folder it is ignored, since other tools have their files there.
func (r *reader) document(root *yaml.Node) {
	apiVersion, kind := krm.Value(root, "apiVersion"), krm.Value(root, "kind")
	switch {
	case apiVersion != nil && kind != nil && kind.Value == "ResourceList" && strings.HasPrefix(apiVersion.Value, listGroup+"/"):
		r.items(root)
	case apiVersion != nil && kind != nil:
		r.add(root)
	case apiVersion == nil && kind == nil && r.isNative(root):
		r.native(root)
	case r.source.named:
		r.report(root.Line, root.Column, krm.Error,
			`must be a Kubernetes object (apiVersion, kind, metadata) or a native document (name, spec)`)
	}
}

// isNative reports whether a document that is no object is a native one. In a folder a spec is not enough: Pod templates
// that plugins embed have one, too.
func (r *reader) isNative(root *yaml.Node) bool {
	if root.Kind != yaml.MappingNode || key(root, "spec") < 0 {
		return false
	}
	_, err := kindOf(value(root, "spec"))
	return r.source.named || key(root, "name") >= 0 || err == nil
}

func (r *reader) add(root *yaml.Node) {
	r.documents = append(r.documents, Document{Item: krm.FromSource(root, r.places)})
}

func (r *reader) report(line, column int, severity krm.Severity, message string) {
	r.findings = append(r.findings, finding(r.source.name, line, column, severity, message))
}

// items reads the objects of a ResourceList, as another function printed it.
func (r *reader) items(root *yaml.Node) {
	if config := krm.Value(root, "functionConfig"); config != nil && len(config.Content) > 0 {
		r.report(config.Line, config.Column, krm.Warning,
			"functionConfig has no effect on a list that is read as a file: give its fields as flags")
	}
	items := krm.Value(root, "items")
	if items == nil || items.Kind != yaml.SequenceNode {
		r.report(root.Line, root.Column, krm.Error, "items of a ResourceList must be a list")
		return
	}
	for i, item := range items.Content {
		if item.Kind != yaml.MappingNode {
			r.report(item.Line, item.Column, krm.Error, fmt.Sprintf("items[%d] of a ResourceList must be a mapping", i))
			continue
		}
		r.add(item)
	}
}

// key returns the index of a key in a mapping's content, in whatever case, -1 if it is absent. The exact key is preferred.
func key(mapping *yaml.Node, name string) int {
	other := -1
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return i
		}
		if other < 0 && strings.EqualFold(mapping.Content[i].Value, name) {
			other = i
		}
	}
	return other
}
