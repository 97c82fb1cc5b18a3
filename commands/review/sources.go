package review

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/load"
)

// diffSource is where a side is from.
type diffSource struct {
	name string
	// revision is a git revision; empty if the paths are on the disk.
	revision string
	paths    []string
	live     bool
}

func onDisk(paths ...string) diffSource {
	return diffSource{name: strings.Join(paths, " "), paths: paths}
}

func (s diffSource) readsStdin() bool {
	return s.revision == "" && slices.Contains(s.paths, load.Stdin)
}

// sources returns the two sides that the arguments mean; dash is the number of arguments before --, -1 without it.
func (f *diffFlags) sources(args []string, dash int) (before, after diffSource, err error) {
	sides, paths := args, []string{"."}
	if dash >= 0 && dash < len(args) {
		sides, paths = args[:dash], args[dash:]
	}
	if f.hasOlder() {
		if len(args) > 0 {
			paths = args
		}
		before, after = f.older(paths), onDisk(paths...)
	} else if before, after, err = positional(sides, paths); err != nil {
		return before, after, err
	}
	if before.readsStdin() && after.readsStdin() {
		return before, after, errors.New("only one side must be the standard input")
	}
	return before, after, nil
}

// older is the state that a flag names.
func (f *diffFlags) older(paths []string) diffSource {
	switch {
	case f.baseRef != "":
		return diffSource{name: f.baseRef, revision: f.baseRef, paths: paths}
	case f.live != "":
		one := onDisk(f.live)
		one.live = true
		return one
	}
	return onDisk(f.base)
}

// positional returns the sides that arguments name, restricted to the paths.
func positional(sides, paths []string) (before, after diffSource, err error) {
	if len(sides) == 1 && !isPath(sides[0]) {
		if old, is, isRange := strings.Cut(sides[0], ".."); isRange {
			if strings.HasPrefix(is, ".") {
				return before, after, fmt.Errorf("%q must be OLD..NEW: for what a branch has changed since it began, "+
					"give `git merge-base OLD NEW` as OLD", sides[0])
			}
			sides = []string{orHead(old), orHead(is)}
		}
	}
	switch len(sides) {
	case 0:
		return diffSource{name: head, revision: head, paths: paths}, onDisk(paths...), nil
	case 1:
		if before, err = sourceOf(sides[0], paths); err == nil && before.revision == "" {
			err = fmt.Errorf("%q must be compared with something: give a second one, --base, --base-ref or --live", sides[0])
		}
		return before, onDisk(paths...), err
	case 2:
		if before, err = sourceOf(sides[0], paths); err == nil {
			after, err = sourceOf(sides[1], paths)
		}
		return before, after, err
	}
	return before, after, errors.New("arguments must be [OLD [NEW]] [-- PATH...]: see --help")
}

// head is the revision that the working folder is compared with if none is given.
const head = "HEAD"

func orHead(revision string) string {
	if revision == "" {
		return head
	}
	return revision
}

// isPath reports whether an argument can only be a file or folder: stdin, a text that is written as a path, or one
// with the extension of a document.
func isPath(arg string) bool {
	for _, prefix := range []string{"./", "../", "/", "~"} {
		if strings.HasPrefix(arg, prefix) {
			return true
		}
	}
	switch filepath.Ext(arg) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return arg == load.Stdin || arg == "." || arg == ".." || strings.HasSuffix(arg, "/") || filepath.IsAbs(arg)
}

// sourceOf returns the source that an argument names. An argument that is a path and a revision as well is an error.
func sourceOf(arg string, paths []string) (diffSource, error) {
	if isPath(arg) {
		return onDisk(arg), nil
	}
	_, notFound := os.Stat(arg)
	revision, err := load.OpenRevision(arg, load.MaxFile)
	if err == nil {
		err = revision.Close()
	}
	switch {
	case err == nil && notFound == nil:
		return diffSource{}, fmt.Errorf("%q is a git revision and a path: write ./%s, or --base-ref %s", arg, arg, arg)
	case err == nil:
		return diffSource{name: arg, revision: arg, paths: paths}, nil
	case notFound == nil:
		return onDisk(arg), nil
	}
	return diffSource{}, fmt.Errorf("%q must be a file, a folder or a git revision: %w", arg, err)
}

// read returns the documents of a side, with those of catalogs.
func (s diffSource) read(how load.Options, catalogs []string) (*load.Package, error) {
	if s.live {
		how.Exclude = nil
		return load.Read(s.paths, how)
	}
	paths := slices.Concat(s.paths, catalogs)
	if s.revision == "" {
		return load.Read(paths, how)
	}
	revision, err := load.OpenRevision(s.revision, load.MaxFile)
	if err != nil {
		return nil, err
	}
	defer func() { _ = revision.Close() }()
	how.Files, how.Label, how.Exclude = revision, s.revision+":", slices.Clone(how.Exclude)
	for i := range paths {
		if paths[i], err = revision.Path(paths[i]); err != nil {
			return nil, err
		}
	}
	for i := range how.Exclude {
		if how.Exclude[i].From, err = revision.Path(how.Exclude[i].From); err != nil {
			return nil, err
		}
	}
	return load.Read(paths, how)
}
