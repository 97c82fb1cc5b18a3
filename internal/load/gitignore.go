package load

import (
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// GitIgnore is the name of the files of git whose patterns ignore entries of their folder.
const GitIgnore = ".gitignore"

// maxPatterns is how much of a file of patterns is read, in bytes.
const maxPatterns = 1 << 20

// IgnoreList is the patterns of one file and of those above it, in the syntax of https://git-scm.com/docs/gitignore. The
// globs are matched by doublestar; a test compares the result with that of git.
type IgnoreList struct {
	folder   string // that the patterns are relative to: a path from the root
	patterns []pattern
	source   string // in messages
	above    *IgnoreList
}

// pattern is one line of a file of patterns.
type pattern struct {
	glob     string // in the syntax of doublestar
	negated  bool
	folders  bool // matches folders only
	anchored bool // matches the whole path from the folder of the file, not only the name
}

// Match returns the list whose last matching pattern ignores the entry at a path from the root, nil if it is not ignored. A
// list decides before those above it. The folders above the entry are not looked at.
func (l *IgnoreList) Match(at string, isFolder bool) *IgnoreList {
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

// parsePatterns reads a file of patterns.
func parsePatterns(text string) []pattern {
	var patterns []pattern
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if p, ok := parsePattern(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")); ok {
			patterns = append(patterns, p)
		}
	}
	return patterns
}

// parsePattern reads a line; it is false for blank lines and comments.
func parsePattern(line string) (p pattern, ok bool) {
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
		trimmed += "/*" // the content of a folder, without the folder itself
	}
	// Only doublestar gives braces a meaning.
	p.glob = strings.NewReplacer(`\\`, `\\`, `\{`, `\{`, `\}`, `\}`, "{", `\{`, "}", `\}`).Replace(trimmed)
	return p, trimmed != ""
}

// Source is the name of the list's file, for messages.
func (l *IgnoreList) Source() string { return l.source }

// With returns the list with one that decides before it: the patterns of a text, relative to a folder, which is a path from
// the root with slashes. A text without patterns changes nothing.
func (l *IgnoreList) With(folder, source, text string) *IgnoreList {
	patterns := parsePatterns(text)
	if len(patterns) == 0 {
		return l
	}
	return &IgnoreList{folder: folder, patterns: patterns, source: source, above: l}
}

// ReadPatterns returns the text of a file of patterns, empty if the file cannot be read.
func ReadPatterns(files fs.FS, name string) string {
	if info, err := fs.Stat(files, name); err != nil || !info.Mode().IsRegular() { // a pipe may never end
		return ""
	}
	file, err := files.Open(name)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxPatterns))
	if err != nil {
		return ""
	}
	return string(text)
}

// RepositoryIgnores returns the lists above a folder in a repository, whose top is given: .git/info/exclude and the
// .gitignore files of the folders above. Both are paths with slashes from the root. It returns nil for an empty top.
func RepositoryIgnores(folder, top string) *IgnoreList {
	if top == "" {
		return nil
	}
	exclude := path.Join(top, ".git", "info", "exclude")
	lists := (*IgnoreList)(nil).With(top, exclude, patternsOnDisk(exclude))
	for at := top; at != folder; {
		file := path.Join(at, GitIgnore)
		lists = lists.With(at, file, patternsOnDisk(file))
		next, _, _ := strings.Cut(strings.TrimPrefix(folder[len(at):], "/"), "/")
		at = path.Join(at, next)
	}
	return lists
}

func patternsOnDisk(file string) string {
	file = filepath.FromSlash(file)
	return ReadPatterns(os.DirFS(filepath.Dir(file)), filepath.Base(file))
}
