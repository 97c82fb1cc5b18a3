package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
)

// Watched holds the paths to watch with --watch, and the functions to call.
type Watched struct {
	// Paths are files, and folders with everything below.
	Paths []string
	// Without is a folder to ignore; it may be empty.
	Without string
	// Start runs the function for the first time. It must be called when all paths are watched, so that no change is lost.
	Start func()
	// Changed runs the function again. The files, at least one, are those that changed.
	Changed func(files []string)
}

// watch runs the function, and again whenever a file changes. The exit code is that of the signal that ends it.
func (r *run) watch(ctx context.Context, args []string) int {
	if err := r.checkWatch(); err != nil {
		return r.fail(err)
	}
	ctx, stop := Interruptible(ctx)
	defer stop()
	paths := slices.Concat(r.paths, r.Kustomize, r.catalogs, r.Values)
	if r.project != nil {
		paths = append(paths, r.project.Name())
	}
	err := r.Function.Watch(ctx, Watched{
		Paths: paths, Without: r.written(), Start: func() { r.files(ctx) },
		Changed: func(files []string) {
			changed := report.Printable(filepath.ToSlash(files[0])) + " changed"
			if more := len(files) - 1; more > 0 {
				changed += ", and " + report.Count(more, "other file")
			}
			Complain(r.stderr, r.Command, changed)
			r.again(ctx, args)
		},
	})
	var interrupted Interrupted
	switch {
	case errors.As(context.Cause(ctx), &interrupted):
		return interrupted.ExitCode()
	case err != nil:
		return r.fail(err)
	}
	return ExitClean
}

// again runs the function with the same arguments. An error in them, for example after an edit of the project file, ends
// only this run.
func (r *run) again(ctx context.Context, args []string) (code int) {
	next := newRun(r.Function)
	next.stdin, next.stdout, next.stderr, next.isAgain = r.stdin, r.stdout, r.stderr, true
	defer next.recover(&code)
	if err := next.parse(args); err != nil {
		return next.fail(err)
	}
	return next.files(ctx)
}

// checkWatch refuses to watch stdin, which does not change, or to print all objects again after each change.
func (r *run) checkWatch() error {
	folder, writes := r.mode().(*Folder)
	switch {
	case !r.fileMode() || slices.Contains(r.paths, load.Stdin):
		return errors.New("--watch must come with files: the standard input can be read only once")
	case writes && folder.folder() == "":
		return errors.New("--watch must come with --output-dir or --check: objects are printed without")
	}
	return nil
}

// written returns the folder that is written or compared; empty if the mode has no folder.
func (r *run) written() string {
	if folder, writes := r.mode().(*Folder); writes {
		return folder.folder()
	}
	return ""
}
