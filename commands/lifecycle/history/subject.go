package history

import (
	"io/fs"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/load"
)

// subject is a document that is followed into the past.
type subject struct {
	Life
	name string
	path string // where it is, in the commit that is looked at
	last Document
	// isCreated, isUpdated and isUnmatched mean that the moments are found.
	isCreated, isUpdated, isUnmatched bool
	group                             *document.RouteGroup // nil unless Unmatched is wanted
}

// subject compares a document with HEAD.
func (h *History) subject(d load.Document) (*subject, error) {
	now, isKnown := read(d)
	s := &subject{Life: Life{ID: now.ID}, name: d.Item.Name(), last: now}
	if d.Item.Kind() == contract.RouteGroup {
		s.group, _ = document.ReadRouteGroup(d.Item)
	}
	if !isKnown {
		s.stop(Moment{Time: h.now, Unknown: "name, cluster, id and state must be known: give the values of variables with --set"})
		return s, nil
	}
	place := d.Item.PlaceOf("")
	below, outside := h.head.Path(place.File)
	if outside != nil {
		s.stop(Moment{Time: h.now, Unknown: outside.Error()})
		return s, nil //nolint:nilerr // the reason is in the moment
	}
	s.path = below
	before, isUnsure, err := h.ofHead(s)
	switch {
	case err != nil:
		return nil, err
	case isUnsure || len(before) > 1:
		s.stop(Moment{Time: h.now, Unknown: "the file cannot be read as it is in HEAD"})
	case len(before) == 0 || before[0].IsAbsent && !now.IsAbsent:
		s.stop(Moment{Time: h.now}) // not committed
	case embeds(d):
		s.update(Moment{Time: h.now, Unknown: "it embeds other files"})
	case before[0].digest != now.digest:
		s.update(Moment{Time: h.now})
	}
	if len(before) == 1 {
		s.last = *before[0]
	}
	return s, nil
}

func embeds(d load.Document) bool {
	for _, origins := range d.Origins {
		if slices.ContainsFunc(origins, func(o load.Origin) bool { return o.File != "" }) {
			return true
		}
	}
	return false
}

// ofHead returns the documents of HEAD with the id of a subject in its file.
func (h *History) ofHead(s *subject) ([]*Document, bool, error) {
	if info, missing := fs.Stat(h.head, s.path); missing != nil || !info.Mode().IsRegular() {
		return nil, false, nil //nolint:nilerr // HEAD does not have the file
	}
	text, err := fs.ReadFile(h.head, s.path)
	if err != nil {
		return nil, false, err
	}
	found, isUnsure := h.parse(s.path, text).find(s.ID, s.name)
	return found, isUnsure, nil
}

// stop ends the search for the moments that were not found.
func (s *subject) stop(at Moment) {
	s.update(at)
	s.unmatch(at)
	if !s.isCreated {
		s.Created, s.isCreated = at, true
	}
}

// update sets the last change.
func (s *subject) update(at Moment) {
	if !s.isUpdated {
		s.Updated, s.isUpdated = at, true
		s.unmatch(at)
	}
}

// unmatch sets since when no sandbox matches.
func (s *subject) unmatch(at Moment) {
	if s.group != nil && !s.isUnmatched {
		s.Unmatched, s.isUnmatched = &at, true
	}
}
