package catalog

import (
	"errors"
	"fmt"

	"github.com/resource-plugins/krm-functions/pkg/digest"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/plugin"
	"github.com/resource-plugins/krm-functions/pkg/version"
)

// entry is one version of a plugin.
type entry struct {
	name version.Name
	item *krm.Item

	loaded bool
	plugin *plugin.Plugin
	digest string
	broken *DocumentError // why it cannot be chosen
}

// load decodes and digests the document.
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
	read, problems := plugin.Read(e.item)
	for _, problem := range problems {
		if problem.Severity == krm.Error {
			return &DocumentError{Item: e.item, Path: problem.Path, Message: problem.Message + "; " + moreFindings}
		}
	}
	sum, err := digest.Of(e.name, krm.Value(e.item.Node(), "spec"))
	var place *digest.Error
	if errors.As(err, &place) {
		return &DocumentError{Item: e.item, Path: place.Path, Message: place.Message}
	}
	e.plugin, e.digest = read, sum
	return nil
}

// label names a document for a person: its name as written, and where it is where that is known.
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

// sameDocument tells whether a and b are one document that came twice, as kpt sends it under overlapping selectors.
func sameDocument(a, b *entry) bool {
	if !a.name.Version.Equal(b.name.Version) {
		return false
	}
	one, other := krm.At(a.item, "", krm.Info, "").File, krm.At(b.item, "", krm.Info, "").File
	return one != nil && other != nil && *one == *other
}
