// Package history finds out from Git since when documents exist as they are: the commits of a branch that created and last
// changed them, wherever they were moved to meanwhile.
//
//	h, err := history.Open(load.Options{}, time.Now())
//	defer h.Close()
//	lives, err := h.Lives(documents)
//
// The history is that of the first parents of HEAD: a merge or a squashed commit brings a document to the branch, whenever
// it was written. A document is the same as long as its id is; see ID. A time that cannot be known, because the clone is
// shallow or an older file cannot be read, is no guess: a Moment is the latest time that is possible, with the reason why it
// may be earlier.
package history

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/internal/load"
)

// History is the history of HEAD in the repository of the working folder. It must be closed.
type History struct {
	head    *load.Revision
	objects load.GitObjects
	options load.Options
	now     time.Time
	commits []commit // the newest first
	cache   map[blob]content
	parts   map[part]content
}

// commit is a commit of the history.
type commit struct {
	id   string
	time time.Time
	// isShallow means that the clone has no older commits.
	isShallow bool
	// isEarly means that its time is later than now.
	isEarly bool
	changes []change
}

// change is the change of a file by a commit. The id of a file that is not there is empty.
type change struct{ path, before, after string }

// Open reads the history. The options say how documents are read; their files are those of Git. Commits that are dated
// after now count as made now.
func Open(options load.Options, now time.Time) (*History, error) {
	head, err := load.OpenRevision("HEAD", load.MaxFile)
	if err != nil {
		return nil, err
	}
	h := &History{head: head, options: options, now: now, cache: map[blob]content{}, parts: map[part]content{}}
	if err := h.read(); err != nil {
		_ = h.Close()
		return nil, err
	}
	return h, nil
}

// Close ends the programs that were started.
func (h *History) Close() error {
	if err := h.objects.Close(); err != nil {
		return err
	}
	return h.head.Close()
}

// read lists the commits. The flags take precedence over the user's configuration of git.
func (h *History) read() error {
	shallow, err := shallowCommits()
	if err != nil {
		return err
	}
	listing, err := changesOf("--first-parent", "--diff-merges=first-parent", "HEAD")
	if err != nil {
		return fmt.Errorf("the history of HEAD must be readable: %w", err)
	}
	if h.commits, err = parseLog(listing); err != nil {
		return err
	}
	var latest time.Time
	for i := len(h.commits) - 1; i >= 0; i-- {
		c := &h.commits[i]
		c.isShallow = shallow[c.id]
		switch {
		case c.time.After(h.now):
			c.isEarly, c.time = true, h.now
		case c.time.Before(latest): // of a machine whose clock is late
			c.time = latest
		default:
			latest = c.time
		}
	}
	return nil
}

// shallowCommits returns the commits whose parents a shallow clone lacks.
func shallowCommits() (map[string]bool, error) {
	file, err := load.GitOutput("rev-parse", "--git-path", "shallow")
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(strings.TrimSuffix(file, "\n"))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	ids := map[string]bool{}
	for _, id := range strings.Fields(string(text)) {
		ids[id] = true
	}
	return ids, nil
}

// parseLog reads the output of git log: for each commit \x01, its id and time and NUL, and for each of its files
// `:modes ids status`, NUL, the path and NUL.
func parseLog(listing string) (commits []commit, err error) {
	rest := listing
	next := func() (field string) {
		field, rest, _ = strings.Cut(rest, "\x00")
		return field
	}
	for rest != "" {
		field := strings.TrimPrefix(next(), "\n")
		if head, isCommit := strings.CutPrefix(field, "\x01"); isCommit {
			id, seconds, _ := strings.Cut(head, " ")
			n, err := strconv.ParseInt(seconds, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("git must list commits, not %q", field)
			}
			commits = append(commits, commit{id: id, time: time.Unix(n, 0).UTC()})
			continue
		}
		words := strings.Fields(field)
		name := next()
		if len(words) != 5 || len(commits) == 0 || !fs.ValidPath(name) {
			return nil, fmt.Errorf("git must list changes of files, not %q", field)
		}
		last := &commits[len(commits)-1]
		last.changes = append(last.changes, change{name, fileID(words[0], words[2]), fileID(words[1], words[3])})
	}
	return commits, nil
}

// fileID returns the id of a file, empty if it is missing, a link or a submodule.
func fileID(mode, id string) string {
	if strings.HasPrefix(strings.TrimPrefix(mode, ":"), "100") {
		return id
	}
	return ""
}

// changesOf returns the commits that the arguments select, with the files that each changes, regardless of the user's
// configuration of git.
func changesOf(selection ...string) (string, error) {
	arguments := slices.Concat([]string{"-c", "log.showRoot=true", "log"}, selection, []string{
		"--raw", "-z", "--no-abbrev", "--no-renames", "--no-relative", "--no-show-signature", "--no-notes", "--no-color",
		"--format=%x01%H %ct",
	})
	return load.GitOutput(arguments...)
}
