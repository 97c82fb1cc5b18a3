package resolve

import (
	"fmt"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// entry is one version of a plugin: a document, its catalog entries, or both.
type entry struct {
	name   document.PluginName
	item   *krm.Item       // nil if only catalogs have the version
	listed []listedVersion // the highest priority first

	// From the catalogs of the highest priority.
	yanked, deprecated, source string
	kubernetes                 *semver.Version // the lowest version that the version runs on, nil if it runs on any

	loaded bool
	plugin *document.Plugin
	digest string
	broken *DocumentError // the reason why it cannot be chosen
}

// priority is the highest priority of the catalogs that list the version, 0 without any.
func (e *entry) priority() int {
	if len(e.listed) == 0 {
		return 0
	}
	return e.listed[0].source.Spec.Priority
}

// describe takes over the fields of the catalogs of the highest priority.
func (e *entry) describe() {
	for _, v := range e.listed {
		if v.source.Spec.Priority != e.priority() {
			return
		}
		e.yanked = leastText(e.yanked, v.Yanked)
		e.deprecated = leastText(e.deprecated, v.Deprecated)
		e.source = leastText(e.source, v.Source)
		lowest, err := KubernetesVersion(v.Requires.Kubernetes)
		if err == nil && (e.kubernetes == nil || lowest.GreaterThan(e.kubernetes)) {
			e.kubernetes = lowest
		}
	}
}

// load determines the digest: the document's, which must match the catalogs', or theirs if there is no document.
func (e *entry) load() error {
	if !e.loaded && e.broken == nil {
		e.loaded, e.broken = true, e.read()
	}
	if e.broken != nil {
		return e.broken
	}
	return nil
}

func (e *entry) read() *DocumentError {
	if e.item == nil {
		e.digest = e.listedDigest()
		return nil
	}
	read, problems := document.ReadPlugin(e.item)
	for _, problem := range problems {
		if problem.IsError() {
			return &DocumentError{
				Item: e.item, Path: problem.Path, Message: problem.Message + "; run validate-plugin for all findings",
			}
		}
	}
	sum, problem := document.Digest(e.name, krm.Value(e.item.YNode(), "spec"))
	if problem != nil {
		return &DocumentError{Item: e.item, Path: problem.Path, Message: problem.Message}
	}
	e.plugin, e.digest = read, sum
	if listed := e.listedDigest(); listed != "" && listed != sum {
		return e.changed(fmt.Sprintf("%s has it as %s", e.listed[0].source.label(), listed))
	}
	return nil
}

// place returns the document and the path for findings about the version: in a catalog this field.
func (e *entry) place(field string) (*krm.Item, krm.Path) {
	if e.item != nil {
		return e.item, namePath
	}
	return e.listed[0].source.Item, e.listed[0].path.Key(field)
}

// label names the document that has the version.
func (e *entry) label() string {
	if e.item != nil {
		return label(e.item)
	}
	return e.listed[0].source.label()
}

// label names a document for messages: its name, and its file and line if they are known.
func label(item *krm.Item) string {
	text := fmt.Sprintf("%q", item.Name())
	switch place := item.PlaceOf(namePath); {
	case place.Line > 0:
		return fmt.Sprintf("%s (%s:%d)", text, place.File, place.Line)
	case place.File != "":
		return fmt.Sprintf("%s (%s)", text, place.File)
	default:
		return text
	}
}

// sameFile reports whether two items are one document that came twice, as kpt sends it under overlapping selectors.
func sameFile(a, b *krm.Item) bool {
	one, other := fileOf(a), fileOf(b)
	return one != nil && other != nil && *one == *other
}

// fileOf returns the file of an item according to its orchestrator, or nil if it is not known.
func fileOf(item *krm.Item) *krm.File { return krm.At(item, "", krm.Info, "").File }
