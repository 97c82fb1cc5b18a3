package history

import (
	"fmt"
	"slices"
	"time"
)

// Past is the past of a sandbox or a route group.
type Past struct {
	// Changed is when a commit last changed or removed a file with it, and Commit the id of that commit.
	Changed time.Time
	Commit  string
	// WasAbsent means that the last document was marked for teardown.
	WasAbsent bool
	// IsEarly means that one of these commits is dated later than now: it is not known when that was made.
	IsEarly bool
	// Specs are the digests of the specs that it had.
	Specs map[string]bool
	// Revisions are commits that have it, the newest first: those that changed it, and those after which it was changed.
	Revisions []string
}

// maxRevisions limits the revisions of a document.
const maxRevisions = 20

// Past returns the sandboxes and route groups of all commits that the repository has, on whatever branch, by their ids: see
// ID.
func (h *History) Past() (map[string]*Past, error) {
	listing, err := changesOf("--all", "HEAD", "--diff-merges=separate")
	if err != nil {
		return nil, fmt.Errorf("the history must be readable: %w", err)
	}
	commits, err := parseLog(listing)
	if err != nil {
		return nil, err
	}
	past := map[string]*Past{}
	for i := range commits {
		c := &commits[i]
		for _, change := range c.changes {
			if !isDocumentFile(change.path) {
				continue
			}
			h.add(past, c, blob{change.after, change.path}, c.id)
			h.add(past, c, blob{change.before, change.path}, c.id+"^")
		}
	}
	return past, nil
}

// add adds the documents of a file that a commit changed, and that a revision has.
func (h *History) add(past map[string]*Past, c *commit, file blob, revision string) {
	found, err := h.content(file.id, file.path)
	if err != nil {
		return // a partial clone lacks it: its content is not known
	}
	for _, d := range found.documents {
		p := past[d.ID]
		if p == nil {
			p = &Past{Specs: map[string]bool{}}
			past[d.ID] = p
		}
		p.IsEarly = p.IsEarly || c.time.After(h.now)
		if c.time.After(p.Changed) {
			p.Changed, p.Commit, p.WasAbsent = c.time, c.id, d.IsAbsent
		}
		if d.Spec != "" {
			p.Specs[d.Spec] = true
		}
		if n := len(p.Revisions); n < maxRevisions && !slices.Contains(p.Revisions[max(0, n-2):], revision) {
			p.Revisions = append(p.Revisions, revision)
		}
	}
}
