package lifecycle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/commands/lifecycle/history"
	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// restoreFlags are the flags of rplug restore.
type restoreFlags struct {
	inputs  rplug.Inputs
	baseRef string
}

func restoreCommand(features []extension.Extension) *cobra.Command {
	flags := restoreFlags{inputs: rplug.Inputs{Features: features, ReadsCatalogs: true}}
	command := &cobra.Command{
		Use: "restore --base-ref REVISION [PATH...]", GroupID: rplug.GroupCluster, Args: cobra.ArbitraryArgs,
		Short: "Bring back sandboxes that were deleted before their teardown, marked absent",
		Long: "Bring back the documents of sandboxes with resources that a git revision has and that are gone from\n" +
			"the repository, each in the file that it was in, and mark them absent with their plugins pinned: the\n" +
			"next render has their delete phase. A sandbox that was moved to another file is not gone, and one\n" +
			"that the revision has as absent needs no other teardown.\n\n" +
			"The PATHs are files and folders in which documents are missed (default: the working folder).\n\n" +
			"Exit code: 0 if done, 1 if a document has an error or cannot be brought back, 2 if the call is\nwrong.",
		Example: "  rplug restore --base-ref origin/main\n  rplug restore --base-ref HEAD~1 sandboxes/",
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringVar(&flags.baseRef, "base-ref", "", "git `REVISION` with an older state of the documents, such as origin/main")
	command.RunE = flags.run
	rplug.Register(command, "base-ref", rplug.CompleteRevisions)
	return flags.inputs.ReadProject(command)
}

func (f *restoreFlags) run(c *cobra.Command, args []string) error {
	if f.baseRef == "" {
		return errors.New("--base-ref must name the git revision that has the sandboxes, such as origin/main")
	}
	options, err := f.inputs.Options(c.InOrStdin())
	if err != nil {
		return err
	}
	r := &restorer{marker: marker{options: options, features: f.inputs.Features}}
	if r.base, err = load.OpenRevision(f.baseRef, load.MaxFile); err != nil {
		return fmt.Errorf("--base-ref: %w", err)
	}
	defer func() { _ = r.base.Close() }()
	paths := args
	if len(paths) == 0 {
		paths = []string{"."}
	}
	if err := r.find(paths); err != nil {
		return err
	}
	files, err := r.restore(c.Context())
	if err == nil && len(files) > 0 {
		err = r.markRestored(c.Context(), slices.Concat(files, f.inputs.PathsFrom(nil, 0)))
	}
	if err == nil && len(r.gone) == 0 {
		r.line("no sandbox with resources is gone since %s", f.baseRef)
	}
	for _, line := range r.lines {
		rplug.Complain(c.ErrOrStderr(), c, line)
	}
	return errors.Join(err, r.refused())
}

// restorer brings documents back.
type restorer struct {
	marker
	base  *load.Revision
	older *load.Package
	gone  []load.Document // of the older state
	ids   map[string]bool // of those that are in their files again
}

// find finds the sandboxes that are gone. The whole repository is searched: a document that was moved is not gone.
func (r *restorer) find(paths []string) (err error) {
	options := r.options
	options.Files, options.KeepUnset, options.Exclude = r.base, true, slices.Clone(options.Exclude)
	for i, exclusion := range options.Exclude {
		if options.Exclude[i].From, err = r.base.Path(cmp.Or(exclusion.From, ".")); err != nil {
			return fmt.Errorf("--base-ref: %w", err)
		}
	}
	older := make([]string, len(paths))
	for i, path := range paths {
		if path == load.Stdin {
			return errors.New("paths must be files or folders of a git repository, not the standard input")
		}
		if older[i], err = r.base.Path(path); err != nil {
			return fmt.Errorf("--base-ref: %w", err)
		}
	}
	if r.older, err = load.Read(older, options); err != nil {
		return fmt.Errorf("--base-ref: %w", err)
	}
	present, err := r.present()
	if err != nil {
		return err
	}
	for _, result := range r.older.Results() {
		if cmp.Or(result.Severity, krm.Error) == krm.Error {
			r.line("not compared: %s: %s", report.PlaceText(result), result.Message)
		}
	}
	for _, d := range r.older.Documents {
		_, isKnown := history.ID(d)
		switch {
		case !leaks(d) || present[idOf(d)]:
		case !isKnown:
			r.line("not compared: %s: its name, cluster or id is not known: give the values of its variables with --set", placeOf(d))
		default:
			r.gone = append(r.gone, d)
		}
	}
	return nil
}

// present returns the ids of the sandboxes of the repository as it is. A document that cannot be read may be any of them.
func (r *restorer) present() (map[string]bool, error) {
	options := r.options
	options.KeepUnset = true
	folder, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	today, err := load.Read([]string{load.TopLevel(folder)}, options)
	if err != nil {
		return nil, err
	}
	if err := refused(today); err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for _, d := range today.Documents {
		ids[idOf(d)] = true
	}
	return ids, nil
}

// idOf returns the id of a document, or if it is not known, because of a variable, the name as it is written.
func idOf(d load.Document) string {
	if id, isKnown := history.ID(d); isKnown {
		return id
	}
	return "name " + d.Item.Name()
}

// leaks reports whether a document is a sandbox with resources that was not in teardown.
func leaks(d load.Document) bool {
	if d.Item.Kind() != contract.Sandbox {
		return false
	}
	s, _ := document.ReadSandbox(d.Item)
	absent, err := s.IsAbsent()
	return err == nil && !absent && len(s.Spec.Resources) > 0
}

// restore writes the documents that are gone into their files, and returns the files that it wrote.
func (r *restorer) restore(ctx context.Context) (written []string, err error) {
	r.ids = map[string]bool{}
	files := map[string][]load.Document{}
	for _, d := range r.gone {
		file := d.Item.PlaceOf("").File
		files[file] = append(files[file], d)
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		target, err := r.target(file)
		if err == nil {
			err = r.write(ctx, file, target, files[file])
		}
		var skip atomicfile.SkipError
		switch {
		case errors.As(err, &skip):
			for _, d := range files[file] {
				r.failed++
				r.line("not restored: %s: %s", placeOf(d), err)
			}
		case err != nil:
			return nil, err
		default:
			written = append(written, target)
			for _, d := range files[file] {
				id, _ := history.ID(d)
				r.ids[id] = true
			}
		}
	}
	return written, nil
}

// target returns where a file of the revision is on disk, relative to the working folder.
func (r *restorer) target(file string) (string, error) {
	folder, err := filepath.Abs(".")
	if err != nil {
		return "", err
	}
	return filepath.Rel(folder, filepath.Join(load.TopLevel(folder), filepath.FromSlash(file)))
}

// write adds documents of a file of the revision to the file on disk, which may be gone.
func (r *restorer) write(ctx context.Context, file, target string, documents []load.Document) error {
	texts := make([][]byte, 0, len(documents))
	for _, d := range documents {
		texts = append(texts, only(r.older.Text(file), d.Item.PlaceOf("").Line))
	}
	if info, err := os.Lstat(target); err == nil && !info.Mode().IsRegular() {
		return atomicfile.SkipError("it must be in a regular file: restore it by hand")
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil { //nolint:gosec // as git makes folders
		return err
	}
	return atomicfile.UpdateFile(ctx, target, func() ([]byte, error) {
		now, err := os.ReadFile(target)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		after := joined(append([][]byte{now}, texts...))
		return after, r.verify(target, now, after, documents)
	})
}

// verify checks that a text has the documents of another one, and those that are added, as they were.
func (r *restorer) verify(name string, before, after []byte, added []load.Document) error {
	const byHand = atomicfile.SkipError("it must be restored by hand: it is not a YAML document in a file that is read")
	was, err := history.ReadText(name, before, r.options)
	if err != nil {
		return err
	}
	is, err := history.ReadText(name, after, r.options)
	if err != nil {
		return err
	}
	if is.Findings.Failed() || !sameDocuments(slices.Concat(was.Documents, added), is.Documents) {
		return byHand
	}
	return nil
}

// markRestored marks the documents absent that are in their files again.
func (r *restorer) markRestored(ctx context.Context, paths []string) (err error) {
	if r.read, err = load.Read(withoutDuplicates(paths), r.options); err != nil {
		return err
	}
	var restored []load.Document
	for _, d := range r.read.Documents {
		if id, isKnown := history.ID(d); isKnown && r.ids[id] {
			restored = append(restored, d)
		}
	}
	return r.mark(ctx, restored)
}

// withoutDuplicates leaves out files that are read with their folders.
func withoutDuplicates(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		return slices.ContainsFunc(paths, func(folder string) bool {
			below, err := filepath.Rel(folder, path)
			return err == nil && below != "." && filepath.IsLocal(below)
		})
	})
}
