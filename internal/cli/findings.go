package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Findings is the mode that prints findings. It changes files only with --fix.
type Findings struct {
	Format  string `json:"output" short:"o" arg:"FORMAT" help:"how findings are printed: text, json, sarif or junit"`
	Context bool   `json:"context" help:"print the source below each finding, as it is on a terminal"`
	Fix     bool   `json:"fix" help:"change the files where a fix is certain; exit code 1 if one was"`
	NoCache bool   `json:"noCache" help:"check all sandboxes, also those that did not change since the last call"`
}

func (f *Findings) flags() []Field {
	f.Format = cmp.Or(f.Format, report.Text)
	fields := fieldsOf(f)
	fields[0].enum = report.Formats()
	return fields
}

func (*Findings) isAsked() bool { return false }

func (f *Findings) check(r *run) error {
	switch {
	case f.Fix && slices.Contains(r.paths, load.Stdin):
		return errors.New("--fix must come with files: the standard input cannot be changed")
	case f.Fix && len(r.Kustomize) > 0:
		return errors.New("--fix must come with files, without --kustomize: what a folder builds cannot be changed")
	}
	return checkFormat(f.Format)
}

func (f *Findings) run(ctx context.Context, r *run) int {
	c, err := f.read(ctx, r)
	fixed := &fixes{}
	if err == nil && f.Fix {
		c, err = fixed.fix(ctx, r, c)
	}
	var out bytes.Buffer
	if err == nil {
		err = r.report(c, f.Context).Write(&out, f.Format)
	}
	if err == nil {
		_, err = out.WriteTo(r.stdout)
	}
	_, _ = fixed.lines.WriteTo(r.stderr)
	if err != nil {
		return r.fail(err)
	}
	if code := r.finish(c, &out, false); fixed.count == 0 {
		return code
	}
	return ExitFindings
}

// read reads and checks the documents, except for sandboxes in which an earlier call found nothing.
func (f *Findings) read(ctx context.Context, r *run) (*checked, error) {
	if f.Format == report.JUnit { // which lists all documents
		return r.readAndProcess(steps{})
	}
	with := steps{newSink: func(*load.Package, *krm.ResourceList) sink { return noObjects{} }}
	if f.NoCache || r.Base != "" || len(r.Kustomize) > 0 || slices.Contains(r.paths, load.Stdin) {
		return r.readAndProcess(with)
	}
	hasBase := r.BaseRef != ""
	now, base, _ := incremental.OpenChecks(incremental.Options{Settings: r.cacheSettings()}, hasBase, r.Extensions)
	with.now, with.base = now, base
	c, err := r.readAndProcess(with)
	if errors.Is(err, incremental.ErrStale) {
		r.suppressed = nil
		now, base = now.WithoutIndex(hasBase)
		with.now, with.base = now, base
		c, err = r.readAndProcess(with)
	}
	if err != nil {
		return nil, err
	}
	found := slices.Clone(c.results)
	for _, one := range r.suppressed {
		found = append(found, one.Result)
	}
	now.Found(found...)
	_ = incremental.SaveChecks(ctx, now, base) // without an index the next call takes longer, and that is all
	return c, nil
}
