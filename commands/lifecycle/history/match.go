package history

import (
	"io/fs"
	"path"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

// findMatches finds the groups that a sandbox matches, of HEAD or of the documents.
func (h *History) findMatches(subjects []*subject, documents []load.Document) error {
	if !slices.ContainsFunc(subjects, func(s *subject) bool { return s.group != nil }) {
		return nil
	}
	var present []*Document
	for _, d := range documents {
		if found, ok := read(d); ok {
			present = append(present, &found)
		}
	}
	err := fs.WalkDir(h.head, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || !isDocumentFile(name) {
			return err
		}
		text, err := fs.ReadFile(h.head, name)
		if err != nil {
			return err
		}
		present = append(present, h.parse(name, text).documents...)
		return nil
	})
	for _, s := range subjects {
		if s.group != nil && slices.ContainsFunc(present, s.isMatched) {
			s.Unmatched, s.isUnmatched = nil, true
		}
	}
	return err
}

// isMatched reports whether a document is a sandbox of the group that is not being removed.
func (s *subject) isMatched(d *Document) bool {
	return d.Sandbox != nil && !d.IsAbsent && sandbox.Matches(&s.group.Spec, d.Sandbox)
}

// followMatches looks for a sandbox of the group that a commit has changed.
func (s *subject) followMatches(c *states, at Moment) error {
	for _, change := range c.commit.changes {
		if change.before == "" || !isDocumentFile(change.path) {
			continue
		}
		before, err := c.history.content(change.before, change.path)
		if err != nil {
			s.unmatch(at.unknown("%v", err))
			return nil
		}
		if slices.ContainsFunc(before.documents, s.isMatched) {
			s.unmatch(at)
			return nil
		}
		if len(before.unread) > 0 {
			s.unmatch(at.unknown("%s cannot be read as it was before commit %s", path.Base(change.path), c.commit.short()))
			return nil
		}
	}
	return nil
}
