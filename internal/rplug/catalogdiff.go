package rplug

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

func catalogDiffCommand() *cobra.Command {
	return &cobra.Command{
		Use: "diff OLD NEW", Args: Arguments(2, 2), RunE: catalogDiff, ValidArgsFunction: CompleteFiles,
		Short: "Show how two states of a catalog differ",
		Long: "Lines begin with + for what is new and ~ for what has another value. A published version that is\n" +
			"gone or has another digest begins with !, and makes the exit code 1.",
		Example: "  git show main:catalog.yaml > old.yaml\n  rplug catalog diff old.yaml catalog.yaml",
	}
}

func catalogDiff(c *cobra.Command, args []string) error {
	older, err := readCatalogFile(args[0])
	if err != nil {
		return err
	}
	newer, err := readCatalogFile(args[1])
	if err != nil {
		return err
	}
	changes := resolve.Diff(older, newer)
	for _, change := range changes {
		fmt.Fprintln(c.OutOrStdout(), report.Printable(change.String()))
	}
	if slices.ContainsFunc(changes, resolve.Change.Breaks) {
		return Refuse(fmt.Errorf("%s must keep what %s has published: see the lines that begin with ! above", args[1], args[0]))
	}
	return nil
}
