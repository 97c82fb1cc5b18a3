package rplug

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

func yankCommand() *cobra.Command {
	return retractCommand(resolve.Yank, &cobra.Command{
		Use:   "yank NAME@VERSION",
		Short: "Note why a version must not be chosen any more",
		Long: "References that float never mean a yanked version. One that is pinned or locked to it resolves\n" +
			"with a warning, since what was created with it has to be removed with it: the version stays\n" +
			"listed.",
		Example: "  rplug catalog yank hello-db@1.2.0 --reason 'leaves its database behind'",
	})
}

func deprecateCommand() *cobra.Command {
	return retractCommand(resolve.Deprecate, &cobra.Command{
		Use:   "deprecate NAME[@VERSION]",
		Short: "Note why another version, or another plugin, should be chosen",
		Long: "References that float mean a deprecated version only if no other fits; every choice of it has a\n" +
			"warning. A name without a version deprecates the plugin as a whole.",
		Example: "  rplug catalog deprecate hello-db@1.1.0 --reason 'has no index; 1.2 has'",
	})
}

// retractCommand completes a command that notes a reason in a catalog.
func retractCommand(change func(*resolve.CatalogDocument, string, string) error, command *cobra.Command) *cobra.Command {
	flags := command.Flags()
	file := flags.StringP("catalog", "c", "catalog.yaml", "the catalog's `FILE`")
	reason := flags.String("reason", "", "the `TEXT` that people get to read")
	undo := flags.Bool("undo", false, "take the reason back")
	command.Args, command.ValidArgsFunction = Arguments(1, 1), OnlyFirst((&Inputs{}).CompleteNames(PluginNames))
	command.RunE = func(c *cobra.Command, args []string) error {
		if *undo != (*reason == "") {
			return errors.New("one of --reason and --undo must be given")
		}
		if !*undo {
			if err := resolve.CheckReason(*reason); err != nil {
				return err
			}
		}
		return updateCatalog(c.Context(), *file, func() (*resolve.CatalogDocument, error) {
			catalog, err := readCatalogFile(*file)
			if err != nil {
				return nil, err
			}
			if err := change(catalog, args[0], *reason); err != nil {
				return nil, Refuse(err)
			}
			return catalog, printChanges(c, *file, catalog)
		})
	}
	return command
}

// printChanges prints the differences between a catalog and its file.
func printChanges(c *cobra.Command, file string, catalog *resolve.CatalogDocument) error {
	older, err := readCatalogFile(file)
	if err != nil {
		return err
	}
	changes := resolve.Diff(older, catalog)
	for _, change := range changes {
		fmt.Fprintln(c.OutOrStdout(), report.Printable(change.String()))
	}
	if len(changes) == 0 {
		fmt.Fprintln(c.OutOrStdout(), file+" is up to date")
	}
	return nil
}
