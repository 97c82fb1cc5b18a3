package history

import (
	"fmt"
	"time"
)

// Past is the past of a sandbox or a route group.
type Past struct {
	// Changed is when a commit last changed or removed a file with it, and Commit the id of that commit.
	Changed time.Time
	Commit  string
}

// Past returns the sandboxes and route groups of all commits that the repository has, on whatever branch, by their ids: see
// ID.
func (h *History) Past() (map[string]Past, error) {
	listing, err := changesOf("--all", "HEAD", "--diff-merges=separate")
	if err != nil {
		return nil, fmt.Errorf("the history must be readable: %w", err)
	}
	commits, err := parseLog(listing)
	if err != nil {
		return nil, err
	}
	past := map[string]Past{}
	for _, c := range commits {
		for _, change := range c.changes {
			if !isDocumentFile(change.path) {
				continue
			}
			for _, id := range []string{change.before, change.after} {
				found, err := h.content(id, change.path)
				if err != nil {
					continue // a partial clone lacks it: its content is not known
				}
				for _, d := range found.documents {
					if c.time.After(past[d.ID].Changed) {
						past[d.ID] = Past{c.time, c.id}
					}
				}
			}
		}
	}
	return past, nil
}
