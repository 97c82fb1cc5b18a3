// Package watch is --watch of rplug build and validate: it waits until a file changes, and runs them again. A program
// without it lacks the flag.
//
//	func main() { rplug.Main(watch.Extension()) }
package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// Extension returns the feature.
func Extension() rplug.Extension { return rplug.Extension{Watch: watch} }

// quiet is how long no file must change before the change counts: editors save a file in several steps.
const quiet = 100 * time.Millisecond

// watcher watches the folders of the paths.
type watcher struct {
	*fsnotify.Watcher

	of cli.Watched
	// folders are those with everything below, and files those of which only the file counts; absolute.
	folders []string
	files   map[string]bool
	written map[string]string // the paths of folders as the user wrote them
}

func watch(ctx context.Context, of cli.Watched) error {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return limitError(err)
	}
	defer func() { _ = notify.Close() }()
	w := &watcher{Watcher: notify, of: of, files: map[string]bool{}, written: map[string]string{}}
	for _, path := range of.Paths {
		if err := w.path(path); err != nil {
			return err
		}
	}
	of.Start()
	return w.run(ctx)
}

// path begins to watch a path.
func (w *watcher) path(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("--watch: %q must be a file or a folder: %w", path, err)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		w.folders = append(w.folders, absolute)
		w.written[absolute] = path
		return w.below(absolute)
	}
	w.files[absolute] = true
	w.written[filepath.Dir(absolute)] = filepath.Dir(path)
	return w.add(filepath.Dir(absolute)) // an editor may replace the file
}

// below begins to watch a folder and those below it. A folder may be removed meanwhile.
func (w *watcher) below(folder string) error {
	return filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !entry.IsDir():
			return nil
		case w.isLeftOut(name):
			return fs.SkipDir
		}
		return w.add(name)
	})
}

func (w *watcher) add(folder string) error {
	if err := w.Add(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return limitError(err)
	}
	return nil
}

// limitError says how a limit of the system can be raised.
func limitError(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) {
		err = fmt.Errorf("too many folders are watched on this machine: give fewer paths, or raise its limit of open files, on "+
			"Linux fs.inotify.max_user_watches and fs.inotify.max_user_instances with sysctl: %w", err)
	}
	return fmt.Errorf("--watch: %w", err)
}

// isLeftOut reports whether nothing in a folder counts: it has no documents, or it is the one that is written.
func (w *watcher) isLeftOut(folder string) bool {
	if w.of.Without != "" {
		if written, err := filepath.Abs(w.of.Without); err == nil && written == folder {
			return true
		}
	}
	return filepath.Base(folder) == ".git"
}

// run waits for changes until the context ends.
func (w *watcher) run(ctx context.Context) error {
	changed := map[string]bool{}
	timer := time.NewTimer(quiet)
	timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-w.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return limitError(err)
			}
			changed[w.of.Paths[0]] = true // too many changes to name them
			timer.Reset(quiet)
		case event := <-w.Events:
			if w.counts(event) {
				changed[event.Name] = true
				timer.Reset(quiet)
			}
		case <-timer.C:
			w.of.Changed(w.names(changed))
			clear(changed)
		}
	}
}

// counts reports whether an event is about a file that is watched. It begins to watch new folders.
func (w *watcher) counts(event fsnotify.Event) bool {
	if event.Op == fsnotify.Chmod {
		return false
	}
	name := event.Name
	if w.files[name] {
		return true
	}
	isBelow := slices.ContainsFunc(w.folders, func(folder string) bool {
		return strings.HasPrefix(name, folder+string(filepath.Separator)) || folder == string(filepath.Separator)
	})
	if !isBelow || w.isLeftOut(name) {
		return false
	}
	if info, err := os.Lstat(name); err == nil && info.IsDir() {
		if event.Has(fsnotify.Create) {
			_ = w.below(name) // without it, a limit is reached: files that are watched still count
		}
		return event.Has(fsnotify.Create)
	}
	return true
}

// names returns the names of files in messages: of those that exist, since editors make files and remove them, if there are
// any.
func (w *watcher) names(changed map[string]bool) []string {
	all := slices.Sorted(maps.Keys(changed))
	files := slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		info, err := os.Lstat(name)
		return err != nil || info.IsDir()
	})
	if len(files) == 0 {
		files = all
	}
	for i, file := range files {
		files[i] = w.name(file)
	}
	return files
}

// name is the name of a file in messages: as the user wrote the path.
func (w *watcher) name(file string) string {
	for folder := filepath.Dir(file); ; folder = filepath.Dir(folder) {
		if written, found := w.written[folder]; found {
			below, err := filepath.Rel(folder, file)
			if err != nil {
				return file
			}
			return filepath.Join(written, below)
		}
		if folder == filepath.Dir(folder) {
			return file
		}
	}
}
