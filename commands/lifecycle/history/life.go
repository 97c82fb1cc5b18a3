package history

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

// Moment is when something happened to a document.
type Moment struct {
	// Time is that of the commit, or now for an uncommitted change. If Unknown is set, it is the latest time that is possible.
	Time time.Time
	// Commit is the id of the commit, empty for an uncommitted change.
	Commit string
	// Unknown is the reason why it may have happened earlier.
	Unknown string
}

// Life is the life of a document in the history.
type Life struct {
	// ID is the id of the document, empty if it is not known.
	ID string
	// Created is when the document came to the branch, or was marked present again after it had been marked absent.
	Created Moment
	// Updated is when a field of it changed. Moves, comments and format are no change.
	Updated Moment
	// Unmatched is, of a route group, since when no sandbox of the branch matches it: since one that did was changed, removed
	// or marked absent, or else since the group was updated. It is nil if one matches.
	Unmatched *Moment
}

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

// Lives returns the lives of documents, which are sandboxes and route groups of the working folder, in their order. They are
// among all documents of the folder.
func (h *History) Lives(documents, all []load.Document) ([]Life, error) {
	subjects := make([]*subject, len(documents))
	count := map[string]int{}
	for _, d := range all {
		id, _ := ID(d)
		count[id]++
	}
	for i, d := range documents {
		s, err := h.subject(d)
		if err != nil {
			return nil, err
		}
		if subjects[i] = s; s.ID != "" && count[s.ID] > 1 {
			s.stop(Moment{Time: h.now, Unknown: plural(count[s.ID]) + " documents are the same: remove one of them"})
		}
	}
	if err := h.findMatches(subjects, all); err != nil {
		return nil, err
	}
	for i := range h.commits {
		if err := h.follow(&h.commits[i], subjects); err != nil {
			return nil, err
		}
	}
	lives := make([]Life, len(subjects))
	for i, s := range subjects {
		lives[i] = s.Life
	}
	return lives, nil
}

func plural(n int) string {
	if n == 2 {
		return "two"
	}
	return strconv.Itoa(n)
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
	below, err := h.head.Path(place.File)
	if err != nil {
		s.stop(Moment{Time: h.now, Unknown: err.Error()})
		return s, nil
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
		s.last = before[0]
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
func (h *History) ofHead(s *subject) ([]Document, bool, error) {
	info, err := fs.Stat(h.head, s.path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, false, nil
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

// findMatches finds the groups that a sandbox matches, of HEAD or of the documents.
func (h *History) findMatches(subjects []*subject, documents []load.Document) error {
	if !slices.ContainsFunc(subjects, func(s *subject) bool { return s.group != nil }) {
		return nil
	}
	var present []Document
	for _, d := range documents {
		if found, ok := read(d); ok {
			present = append(present, found)
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
func (s *subject) isMatched(d Document) bool {
	return d.Sandbox != nil && !d.IsAbsent && sandbox.Matches(&s.group.Spec, d.Sandbox)
}

// follow follows the subjects to the parent of a commit.
func (h *History) follow(c *commit, subjects []*subject) error {
	at := Moment{Time: c.time, Commit: c.id}
	if c.isEarly {
		at.Unknown = "commit " + c.short() + " is dated later than now"
	}
	states := newStates(h, c)
	for _, s := range subjects {
		if s.isCreated && (s.group == nil || s.isUnmatched) {
			continue
		}
		if err := s.follow(states, at); err != nil {
			return err
		}
	}
	return nil
}

// follow follows a subject to the parent of a commit.
func (s *subject) follow(c *states, at Moment) error {
	if s.group != nil && !s.isUnmatched {
		if err := s.followMatches(c, at); err != nil {
			return err
		}
	}
	if s.isCreated || !c.changes(s.path) {
		return nil
	}
	before, isUnsure, err := c.before(s.path, s.ID, s.name)
	switch {
	case err != nil:
		s.stop(at.unknown("%v", err))
	case len(before) > 1:
		s.stop(at.unknown("before commit %s its file had it more than once", c.commit.short()))
	case len(before) == 1:
		s.becomes(before[0], s.path, at)
	case isUnsure:
		s.stop(at.unknown("its file cannot be read as it was before commit %s", c.commit.short()))
	default:
		s.comeFrom(c, at)
	}
	return nil
}

// becomes follows the subject to its state before a commit.
func (s *subject) becomes(before Document, name string, at Moment) {
	if before.IsAbsent && !s.last.IsAbsent {
		s.stop(at)
		return
	}
	if before.digest != s.last.digest {
		s.update(at)
	}
	s.last, s.path = before, name
}

// comeFrom follows the subject to the file from which a commit has moved it. Without such a file, the commit has created it.
func (s *subject) comeFrom(c *states, at Moment) {
	var from []string
	var was Document
	for _, change := range c.commit.changes {
		if change.before == "" || change.path == s.path || !isDocumentFile(change.path) {
			continue
		}
		before, isUnsure, err := c.before(change.path, s.ID, s.name)
		after, _, wrong := c.after(change.path, s.ID, s.name)
		switch {
		case err != nil || wrong != nil || isUnsure && len(before) == 0:
			s.stop(at.unknown("it may be from %s, which cannot be read as it was before commit %s", path.Base(change.path), c.commit.short()))
			return
		case len(before) > 0 && len(after) == 0:
			from, was = append(from, change.path), before[0]
		}
	}
	switch {
	case len(from) > 1:
		s.stop(at.unknown("commit %s removes it from several files: %s", c.commit.short(), strings.Join(from, ", ")))
	case len(from) == 1:
		s.becomes(was, from[0], at)
	case c.commit.isShallow:
		s.stop(at.unknown("the clone is shallow, and has no commit before %s: fetch the others with git fetch --unshallow", c.commit.short()))
	default:
		s.stop(at)
	}
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

// unknown returns the moment as the latest that is possible.
func (m Moment) unknown(format string, args ...any) Moment {
	if m.Unknown == "" {
		m.Unknown = fmt.Sprintf(format, args...)
	}
	return m
}

// states are the files before and after a commit.
type states struct {
	history *History
	commit  *commit
	byPath  map[string]change
}

func newStates(h *History, c *commit) *states {
	s := &states{history: h, commit: c, byPath: make(map[string]change, len(c.changes))}
	for _, one := range c.changes {
		s.byPath[one.path] = one
	}
	return s
}

func (s *states) changes(name string) bool {
	_, ok := s.byPath[name]
	return ok
}

func (s *states) before(file, id, name string) ([]Document, bool, error) {
	found, err := s.history.content(s.byPath[file].before, file)
	documents, isUnsure := found.find(id, name)
	return documents, isUnsure, err
}

func (s *states) after(file, id, name string) ([]Document, bool, error) {
	found, err := s.history.content(s.byPath[file].after, file)
	documents, isUnsure := found.find(id, name)
	return documents, isUnsure, err
}

// short returns the id of the commit as people read it.
func (c *commit) short() string { return c.id[:min(12, len(c.id))] }
