package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// FolderOptions are the options of a FolderWriter.
type FolderOptions struct {
	Folder string
	// Compare changes nothing, and reports how the folder differs.
	Compare bool
	// PerObject writes a separate file for each object instead of each sandbox.
	PerObject bool
	// Kustomization adds a kustomization.yaml.
	Kustomization bool
	// Overwrite replaces files that were edited since they were written.
	Overwrite bool
	// AllowEmpty lets the last file be removed.
	AllowEmpty bool
	// AllowLeaks lets the create phase of a sandbox be removed without its delete phase.
	AllowLeaks bool
	// Diff asks for FolderReport.Diff when the folder is written, too.
	Diff bool
	// Cache has the files of an earlier run that stay unchanged; nil if nothing is reused.
	Cache *incremental.Cache
}

// FolderReport is the result of writing a folder or comparing it.
type FolderReport struct {
	// Results are errors: the reasons why it was not written, or the files in which it differs.
	Results krm.Results
	// Diff holds the differences of a compared folder, or with FolderOptions.Diff, the changes to a written one, in the
	// unified format.
	Diff []byte
	// Summary describes the outcome, such as how many files were written.
	Summary string
}

// Folder is the mode that writes objects to a folder, or compares them with it. Without a folder it prints them.
type Folder struct {
	OutputDir     string `json:"outputDir" arg:"DIR" help:"write to files of this folder, and print nothing"`
	Check         string `json:"check" arg:"DIR" help:"print how a folder that was written differs; exit code 1 if it does"`
	FilePer       string `json:"filePer" arg:"KIND" help:"what gets its own file in the folder: sandbox or object"`
	Kustomization bool   `json:"kustomization" help:"write a kustomization.yaml to the folder, too"`
	Overwrite     bool   `json:"overwrite" help:"replace files that were edited since they were written, too"`
	AllowLeaks    bool   `json:"allowLeaks" help:"remove sandboxes whose delete phase was never rendered, too"`
	NoCache       bool   `json:"noCache" help:"render all sandboxes, also those that did not change since the last call"`
	Format        string `json:"output" short:"o" arg:"FORMAT" help:"how findings are printed: text, json, sarif or junit"`

	// Open returns the writer of a folder.
	Open func(options FolderOptions) FolderWriter
}

// FolderWriter writes objects to a folder, or compares them with it.
type FolderWriter struct {
	// Add adds objects. In their files, those that belong to no sandbox in particular are before all others.
	Add func(shared, others []*krm.Item) error
	// Finish writes the objects that were added, or compares them.
	Finish func(ctx context.Context) (FolderReport, error)
	// Close frees the storage of the objects.
	Close func() error
}

// The values of --file-per.
const (
	perSandbox = "sandbox"
	perObject  = "object"
)

func (f *Folder) flags() []Field {
	f.Format, f.FilePer = cmp.Or(f.Format, report.Text), cmp.Or(f.FilePer, perSandbox)
	fields := fieldsOf(f)
	for i := range fields {
		switch fields[i].Key {
		case "output":
			fields[i].enum = report.Formats()
		case "filePer":
			fields[i].enum = []string{perSandbox, perObject}
		}
	}
	return fields
}

func (*Folder) isAsked() bool { return false }

// folder returns the folder that is written or compared; empty if no flag names one.
func (f *Folder) folder() string { return cmp.Or(f.Check, f.OutputDir) }

func (f *Folder) check(r *run) error {
	switch {
	case r.flags.Changed("output-dir") && f.OutputDir == "":
		return errors.New("--output-dir must be a folder")
	case r.flags.Changed("check") && f.Check == "":
		return errors.New("--check must be a folder")
	case f.OutputDir != "" && f.Check != "":
		return errors.New("--output-dir and --check must not be given together: --check names the folder, too")
	case f.Overwrite && f.OutputDir == "":
		return errors.New("--overwrite must come with --output-dir")
	case f.FilePer != perSandbox && f.FilePer != perObject:
		return fmt.Errorf("--file-per must be %s or %s, not %q", perSandbox, perObject, f.FilePer)
	case f.folder() != "":
		return errors.Join(checkFormat(f.Format), f.checkOutside(r))
	}
	for _, name := range []string{"file-per", "kustomization", "allow-leaks", "no-cache", "output"} {
		if r.flags.Changed(name) {
			return fmt.Errorf("--%s must come with --output-dir or --check: objects are printed without", name)
		}
	}
	return nil
}

// checkOutside refuses paths in the folder that is written.
func (f *Folder) checkOutside(r *run) error {
	for _, path := range slices.Concat(r.paths, r.Kustomize) {
		if path != load.Stdin && isWithin(f.folder(), path) {
			return fmt.Errorf("%q must not be in the folder that is written, %q", path, f.folder())
		}
	}
	return nil
}

// isWithin reports whether a path is a folder, or leads into it.
func isWithin(folder, path string) bool {
	rel, err := filepath.Rel(resolvedPath(folder), resolvedPath(path))
	return err == nil && filepath.IsLocal(rel)
}

// resolvedPath is an absolute path without links, as far as it exists.
func resolvedPath(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if resolved, err := filepath.EvalSymlinks(absolute); err == nil {
		return resolved
	}
	if above := filepath.Dir(absolute); above != absolute {
		return filepath.Join(resolvedPath(above), filepath.Base(absolute))
	}
	return absolute
}

// withoutFolder keeps the folder that is written from being read.
func (f *Folder) withoutFolder() []load.Exclusion {
	folder := filepath.Clean(f.folder())
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	name := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, " ", `\ `).Replace(filepath.Base(folder))
	return []load.Exclusion{{Patterns: []string{"/" + name + "/"}, From: filepath.Dir(folder), Source: "--output-dir"}}
}

func (f *Folder) options(r *run) FolderOptions {
	return FolderOptions{
		Folder: f.folder(), Compare: f.Check != "", PerObject: f.FilePer == perObject, Kustomization: f.Kustomization,
		Overwrite: f.Overwrite, AllowEmpty: r.AllowEmpty, AllowLeaks: f.AllowLeaks, Diff: r.isAgain,
	}
}

// run writes the findings to stderr and the diff to stdout. In a format other than text, it writes the findings to stdout
// instead.
func (f *Folder) run(ctx context.Context, r *run) int {
	if f.folder() == "" {
		c, err := r.readAndProcess(r.printing())
		if err != nil {
			return r.fail(err)
		}
		return r.printObjects(c)
	}
	cache, unused := f.openCache(r)
	c, done, err := f.build(ctx, r, cache)
	if errors.Is(err, incremental.ErrStale) {
		cache, r.suppressed = cache.WithoutIndex(), nil
		c, done, err = f.build(ctx, r, cache)
	}
	if err != nil {
		return r.fail(err)
	}
	f.saveCache(ctx, r, c, done, cache, unused)
	var out bytes.Buffer
	if f.Format == report.Text {
		style := report.StyleFor(IsTerminal(r.stdout.Writer), false, os.Getenv)
		out.Write(style.Diff(done.Diff))
	} else if err := r.report(c, false).Write(&out, f.Format); err != nil {
		return r.fail(err)
	}
	return r.finish(c, &out, f.Format == report.Text)
}

// inFolder receives objects for a folder.
type inFolder struct {
	FolderWriter
	run *run
}

func (w *inFolder) add(shared, others []*krm.Item) error {
	return w.Add(w.run.forCluster(shared), w.run.forCluster(others))
}

func (w *inFolder) close() error { return w.Close() }

// write writes the objects to the folder, or compares them with it.
func (f *Folder) write(ctx context.Context, r *run, c *checked) (done FolderReport, err error) {
	w, ok := c.sink.(*inFolder)
	if !ok {
		w = &inFolder{f.Open(f.options(r)), r}
		err = w.Add(nil, r.objects(c))
	}
	if err == nil {
		done, err = w.Finish(ctx)
	}
	return done, errors.Join(err, w.Close())
}
