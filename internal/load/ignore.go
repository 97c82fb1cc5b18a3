package load

import (
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoreFile is the name of the files whose patterns keep entries of their folder from being read.
const ignoreFile = ".gitignore"

// maxIgnoreFile is how much of a file of patterns is read, in bytes.
const maxIgnoreFile = 1 << 20

// ignoreList is the patterns of one file, in the syntax of https://git-scm.com/docs/gitignore. The globs are matched by
// doublestar; a test compares the result with that of git.
type ignoreList struct {
	folder   string // that the patterns are relative to: a path from the root
	patterns []ignorePattern
	source   string // in messages
	above    *ignoreList
}

// ignorePattern is one line of a file of patterns.
type ignorePattern struct {
	glob     string // in the syntax of doublestar
	negated  bool
	folders  bool // matches folders only
	anchored bool // matches the whole path from the folder of the file, not the name alone
}

// match returns the list whose last matching pattern ignores the entry at a path from the root, nil if it is not ignored. A
// list decides before those above it. The folders above the entry are not looked at.
func (l *ignoreList) match(at string, isFolder bool) *ignoreList {
	for ; l != nil; l = l.above {
		below, inside := strings.CutPrefix(at, strings.TrimSuffix(l.folder, "/")+"/")
		for i := len(l.patterns) - 1; i >= 0; i-- {
			p := &l.patterns[i]
			subject := path.Base(at)
			if p.anchored {
				subject = below
			}
			if p.folders && !isFolder || p.anchored && !inside {
				continue
			}
			if matched, err := doublestar.Match(p.glob, subject); matched && err == nil {
				if p.negated {
					return nil
				}
				return l
			}
		}
	}
	return nil
}

// parseIgnore reads a file of patterns.
func parseIgnore(text string) []ignorePattern {
	var patterns []ignorePattern
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if p, ok := parseIgnoreLine(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")); ok {
			patterns = append(patterns, p)
		}
	}
	return patterns
}

// parseIgnoreLine reads a line; it is false for blank lines and comments.
func parseIgnoreLine(line string) (p ignorePattern, ok bool) {
	trimmed := strings.TrimRight(line, " ")
	if strings.HasSuffix(trimmed, `\`) && len(trimmed) < len(line) {
		trimmed += " " // a blank that is quoted is part of the pattern
	}
	if trimmed == "" || trimmed[0] == '#' {
		return p, false
	}
	trimmed, p.negated = strings.CutPrefix(trimmed, "!")
	trimmed, p.folders = strings.CutSuffix(trimmed, "/")
	p.anchored = strings.Contains(trimmed, "/")
	trimmed = strings.TrimPrefix(trimmed, "/")
	if strings.HasSuffix(trimmed, "/**") {
		trimmed += "/*" // what is inside of a folder, without the folder itself
	}
	// Braces have a meaning for doublestar alone.
	p.glob = strings.NewReplacer(`\\`, `\\`, `\{`, `\{`, `\}`, `\}`, "{", `\{`, "}", `\}`).Replace(trimmed)
	return p, trimmed != ""
}

// readIgnore reads the patterns of a file; there are none if it cannot be read.
func readIgnore(files fs.FS, name string) []ignorePattern {
	if regular(fs.Stat(files, name)) != nil {
		return nil
	}
	file, err := files.Open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxIgnoreFile))
	if err != nil {
		return nil
	}
	return parseIgnore(string(text))
}

// with returns the list with one that decides before it, unless that has no patterns.
func (l *ignoreList) with(one ignoreList) *ignoreList {
	if len(one.patterns) == 0 {
		return l
	}
	one.above = l
	return &one
}

// repositoryIgnores returns the lists of the repository that a folder of the disk is in: .git/info/exclude and the
// .gitignore files of the folders above. Outside of a repository there are none.
func repositoryIgnores(folder string) *ignoreList {
	top := filepath.ToSlash(TopLevel(filepath.FromSlash(folder)))
	if top == "" {
		return nil
	}
	exclude := path.Join(top, gitFolder, "info/exclude")
	lists := (*ignoreList)(nil).with(ignoreList{folder: top, source: exclude, patterns: readIgnore(disk{}, exclude)})
	for at := top; at != folder; {
		file := path.Join(at, ignoreFile)
		lists = lists.with(ignoreList{folder: at, source: file, patterns: readIgnore(disk{}, file)})
		next, _, _ := strings.Cut(strings.TrimPrefix(folder[len(at):], "/"), "/")
		at = path.Join(at, next)
	}
	return lists
}
