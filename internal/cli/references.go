package cli

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// resourcesPath is where a sandbox refers to plugins.
const resourcesPath krm.Path = "spec.resources"

// recordKeys are the annotations in which resolution records requested references and digests.
var recordKeys = []string{contract.DigestsKey, contract.RequestedKey}

// Pinned is a document with references, as it was read.
type Pinned struct {
	item       *krm.Item
	isNative   bool
	isBuilt    bool // by kustomize
	object     krm.Place
	references []writtenReference
	record     map[string]string
}

// writtenReference is a reference as it is written in a file.
type writtenReference struct {
	extension.Reference
	text  string
	place krm.Place
}

// References returns the documents with references, before they are resolved.
func References(read *load.Package, extensions []extension.Extension) (all []*Pinned) {
	for _, d := range read.Documents {
		fields, isOurs := referenceFields(d.Item, extensions)
		if !isOurs {
			continue
		}
		p := &Pinned{item: d.Item, isNative: d.Native, isBuilt: d.Built, object: d.Item.PlaceOf(""), record: recordOf(d.Item)}
		for _, field := range fields {
			if text, ok := textAt(d.Item, field.Path); ok {
				p.references = append(p.references, writtenReference{field, text, d.Item.PlaceOf(field.Path)})
			}
		}
		all = append(all, p)
	}
	return all
}

// referenceFields returns the fields of a document that resolution may pin. It reports false for a document that it does not
// change.
func referenceFields(item *krm.Item, extensions []extension.Extension) (fields []extension.Reference, ok bool) {
	if item.Kind() == contract.Sandbox && item.APIVersion() == contract.APIVersion {
		resources, _ := resourcesPath.Find(item.YNode())
		for i := range contentOf(resources) {
			fields = append(fields, extension.Reference{Path: resourcesPath.Index(i).Key("plugin")})
		}
		return fields, true
	}
	for _, e := range extensions {
		if e.Has(item) {
			return e.References, true
		}
	}
	return nil, false
}

// contentOf returns the elements of a list, which may be an alias.
func contentOf(node *yaml.Node) []*yaml.Node {
	if node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node == nil {
		return nil
	}
	return node.Content
}

func textAt(item *krm.Item, path krm.Path) (string, bool) {
	node, ok := path.Find(item.YNode())
	if ok && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if !ok || node.Kind != yaml.ScalarNode {
		return "", false
	}
	return node.Value, true
}

// lastKey returns the last key of a path of plain keys.
func lastKey(path krm.Path) string { return string(path[strings.LastIndex(string(path), ".")+1:]) }

func recordOf(item *krm.Item) map[string]string {
	record := map[string]string{}
	for _, key := range recordKeys {
		if text, ok := item.Annotation(key); ok {
			record[key] = text
		}
	}
	return record
}

// noRecord is the empty record. It replaces an old record, since edits do not remove annotations.
const noRecord = "{}"

// annotations returns the annotations that have changed.
func (p *Pinned) annotations() (changed []edit.Annotation) {
	if p.isNative {
		return nil // it has no place for annotations
	}
	now := recordOf(p.item)
	for _, key := range recordKeys {
		before, present := p.record[key]
		after, stays := now[key]
		if !stays && present {
			after, stays = noRecord, true
		}
		if stays && after != before {
			changed = append(changed, edit.Annotation{Key: key, Value: after})
		}
	}
	return changed
}

// Item returns the document, which resolution may have pinned.
func (p *Pinned) Item() *krm.Item { return p.item }

// Change makes the changes of the document in its file, with other annotations that it gets, and returns a line for each
// reference that is pinned.
func (p *Pinned) Change(file *edit.Change, others ...edit.Annotation) (lines []string, err error) {
	if p.isBuilt {
		return nil, errBuilt
	}
	err = file.Try(func() error {
		for _, ref := range p.references {
			now, ok := textAt(p.item, ref.Path)
			if !ok && ref.Pinned != "" {
				if now, ok = textAt(p.item, ref.Pinned); ok {
					if err := file.Rename(ref.place, lastKey(ref.Path), lastKey(ref.Pinned)); err != nil {
						return err
					}
				}
			}
			if !ok || now == ref.text {
				continue
			}
			if ref.place.File != p.object.File {
				return errEmbedded
			}
			if err := file.Set(ref.place, ref.text, now); err != nil {
				return err
			}
			lines = append(lines, fmt.Sprintf("pinned: %s:%d: %s %s: %s -> %s",
				ref.place.File, ref.place.Line, p.item.Kind(), p.item.Name(), ref.text, now))
		}
		if changed := append(p.annotations(), others...); len(changed) > 0 {
			return file.Annotate(p.object, changed...)
		}
		return nil
	})
	return lines, err
}

// isChanged reports whether the document must be written.
func (p *Pinned) isChanged() bool {
	return len(p.annotations()) > 0 || slices.ContainsFunc(p.references, func(ref writtenReference) bool {
		now, ok := textAt(p.item, ref.Path)
		return !ok || now != ref.text
	})
}
