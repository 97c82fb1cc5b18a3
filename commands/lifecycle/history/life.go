package history

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/internal/load"
)

// Moment is when something happened to a document.
type Moment struct {
	// Time is that of the commit, or now for an uncommitted change. If Unknown is set, it is the latest time that is
	// possible.
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
	// Unmatched is, of a route group, since when no sandbox of the branch matches it: since one that did was changed,
	// removed or marked absent, or else since the group was updated. It is nil if one matches.
	Unmatched *Moment
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
		s.becomes(*before[0], s.path, at)
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
			s.stop(at.unknown("it may be from %s, which cannot be read as it was before commit %s",
				path.Base(change.path), c.commit.short()))
			return
		case len(before) > 0 && len(after) == 0:
			from, was = append(from, change.path), *before[0]
		}
	}
	switch {
	case len(from) > 1:
		s.stop(at.unknown("commit %s removes it from several files: %s", c.commit.short(), strings.Join(from, ", ")))
	case len(from) == 1:
		s.becomes(was, from[0], at)
	case c.commit.isShallow:
		s.stop(at.unknown("the clone is shallow, and has no commit before %s: fetch the others with git fetch --unshallow",
			c.commit.short()))
	default:
		s.stop(at)
	}
}

// unknown returns the moment as the latest that is possible.
func (m Moment) unknown(format string, args ...any) Moment {
	if m.Unknown == "" {
		m.Unknown = fmt.Sprintf(format, args...)
	}
	return m
}
