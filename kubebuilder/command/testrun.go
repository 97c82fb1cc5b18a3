package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/harness"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/transaction"
)

// check tests the plugins and prints the report.
func (f *harnessFlags) check(
	ctx context.Context, c *cobra.Command, h harness.Harness, plugins []external.Plugin,
) error {
	var all harness.Reports
	for _, plugin := range plugins {
		h.Plugin = plugin
		result, err := f.shown(c, &h).Run(ctx)
		eraseLine(c)
		if err != nil {
			return err
		}
		all = append(all, result)
	}
	chains, err := f.chains(ctx, c, h, plugins, all)
	if err != nil {
		return err
	}
	all = append(all, chains...)
	style := report.StyleFor(cli.IsTerminal(f.stdout), false, os.Getenv)
	if err := all.Write(c.OutOrStdout(), f.output, style); err != nil {
		return err
	}
	if all.Failed() {
		return rplug.Refuse(errors.New("a check has failed"))
	}
	return nil
}

// chains tests each two of several plugins in one chain, in both orders. Plugins that hang are left out.
func (f *harnessFlags) chains(
	ctx context.Context, c *cobra.Command, h harness.Harness, plugins []external.Plugin, tested harness.Reports,
) (all harness.Reports, err error) {
	for i, first := range plugins {
		for j, second := range plugins {
			if i == j || tested[i].Hung() || tested[j].Hung() {
				continue
			}
			h.Plugin = first
			result, err := f.shown(c, &h).Chain(ctx, first, second)
			eraseLine(c)
			if err != nil {
				return nil, err
			}
			all = append(all, result)
		}
	}
	return all, nil
}

// recordExchanges writes the responses of a plugin.
func (f *harnessFlags) recordExchanges(
	ctx context.Context, c *cobra.Command, h harness.Harness, plugins []external.Plugin,
) error {
	h.Plugin = plugins[0]
	files, err := f.shown(c, &h).Record(ctx)
	eraseLine(c)
	if err != nil {
		if ctx.Err() == nil {
			err = rplug.Refuse(err)
		}
		return err
	}
	return f.write(ctx, c.OutOrStdout(), files)
}

// write writes all files of exchanges, or none.
func (f *harnessFlags) write(ctx context.Context, out io.Writer, files map[string][]byte) error {
	if err := os.MkdirAll(f.record, 0o755); err != nil {
		return err
	}
	changes, err := transaction.Begin(ctx, f.record, transaction.Options{})
	if err != nil {
		return err
	}
	defer changes.End()
	var made []atomicfile.Change
	for _, name := range slices.Sorted(maps.Keys(files)) {
		before, err := os.ReadFile(filepath.Join(f.record, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if one := (atomicfile.Change{Path: name, Before: before, After: files[name]}); !bytes.Equal(before, one.After) {
			changes.Replace(name, before, one.After)
			made = append(made, one)
		}
	}
	if err := changes.Commit(); err != nil {
		return err
	}
	printFileChanges(out, made)
	return nil
}

// shown shows the progress of the harness on a terminal.
func (f *harnessFlags) shown(c *cobra.Command, h *harness.Harness) *harness.Harness {
	if out := c.ErrOrStderr(); cli.ShowsProgress(out) {
		h.Progress = func(name string) {
			fmt.Fprintf(out, "\r\x1b[K%s: %s %s", c.CommandPath(), h.Plugin.Key(), report.Printable(name))
		}
	}
	return h
}

// eraseLine erases the progress.
func eraseLine(c *cobra.Command) {
	if file, isFile := c.ErrOrStderr().(*os.File); isFile {
		cli.EraseProgress(file)
	}
}
