package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// FolderOptions say to which folder documents are written, and how.
type FolderOptions struct {
	Folder string
	// Compare changes nothing, and reports how the folder differs.
	Compare bool
	// PerObject gives each object a file of its own, and not each sandbox.
	PerObject bool
	// Kustomization adds a kustomization.yaml.
	Kustomization bool
	// Overwrite replaces files that were edited since they were written.
	Overwrite bool
}

// FolderReport is what became of a folder.
type FolderReport struct {
	// Results are why it was not written, or in which files it differs; errors.
	Results krm.Results
	// Diff is how it differs, in the unified format.
	Diff []byte
	// Summary says what was done.
	Summary string
}

// The values of --file-per.
const (
	perSandbox = "sandbox"
	perObject  = "object"
)

// folder is the folder that is written or compared, empty if there is none.
func (r *run) folder() string {
	if r.Check != "" {
		return r.Check
	}
	return r.OutputDir
}

// checkFolder refuses flags about a folder that have no meaning.
func (r *run) checkFolder(flags *pflag.FlagSet) error {
	if r.Folder == nil {
		return nil
	}
	for _, name := range []string{"output-dir", "check"} {
		if flags.Changed(name) && flags.Lookup(name).Value.(*givenFlag).value.IsZero() {
			return fmt.Errorf("--%s must be a folder", name)
		}
	}
	switch {
	case r.OutputDir != "" && r.Check != "":
		return errors.New("--output-dir and --check must not be given together: --check names the folder, too")
	case r.Overwrite && r.OutputDir == "":
		return errors.New("--overwrite must come with --output-dir")
	case r.FilePer != perSandbox && r.FilePer != perObject:
		return fmt.Errorf("--file-per must be %s or %s, not %q", perSandbox, perObject, r.FilePer)
	case r.folder() != "":
		return r.checkOutside()
	}
	for _, name := range []string{"file-per", "kustomization", "output"} {
		if flags.Changed(name) {
			return fmt.Errorf("--%s must come with --output-dir or --check: objects are printed without", name)
		}
	}
	return nil
}

// checkOutside refuses paths in the folder that is written.
func (r *run) checkOutside() error {
	for _, path := range slices.Concat(r.paths, r.Kustomize) {
		if path != load.Stdin && isWithin(r.folder(), path) {
			return fmt.Errorf("%q must not be in the folder that is written, %q", path, r.folder())
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
func (r *run) withoutFolder() []load.Exclusion {
	if r.folder() == "" {
		return nil
	}
	folder := filepath.Clean(r.folder())
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	name := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, " ", `\ `).Replace(filepath.Base(folder))
	return []load.Exclusion{{Patterns: []string{"/" + name + "/"}, From: filepath.Dir(folder), Source: "--output-dir"}}
}

// endWithFolder ends a run with --output-dir or --check: what was found goes to stderr, or to stdout in another format than
// text, and with text the diff to stdout.
func (r *run) endWithFolder(ctx context.Context, c *checked) int {
	var done FolderReport
	if c.results.Failed() {
		c.summary = "nothing written: fix the errors above"
	} else {
		var err error
		done, err = r.Folder(ctx, r.printed(c), FolderOptions{
			Folder: r.folder(), Compare: r.Check != "", PerObject: r.FilePer == perObject, Kustomization: r.Kustomization,
			Overwrite: r.Overwrite,
		})
		if err != nil {
			return r.fail(err)
		}
		c.summary += "; " + done.Summary
		c.results = append(c.results, done.Results...).Sort()
	}
	var out bytes.Buffer
	if r.Format == report.Text {
		style := report.StyleFor(IsTerminal(r.stdout.Writer), false, os.Getenv)
		out.Write(style.Diff(done.Diff))
	} else if err := r.report(c).Write(&out, r.Format); err != nil {
		return r.fail(err)
	}
	if _, err := out.WriteTo(r.stdout); err != nil {
		return r.fail(err)
	}
	r.listSkipped(c)
	return r.end(c.results, r.Format == report.Text, c.summary)
}
