package rplug

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

func explainCommand(features []extension.Extension) *cobra.Command {
	command := &cobra.Command{
		Use: "explain REF [PATH...]", Args: Arguments(1, -1),
		Short: "Explain which version a reference means",
		Long: "REF is a reference as sandboxes have it, such as hello-db, hello-db@^1.2 or hello-db@stable.\n" +
			"Catalogs, plugin documents and locks below the paths (default: the working directory) and in the\n" +
			"catalogs of rplug.yaml count, as they do for resolve. Each stage of the choice shows what it\n" +
			"leaves out.",
		Example: "  rplug catalog explain 'hello-db@^1.2' --kubernetes 1.28 catalog.yaml",
	}
	flags := command.Flags()
	kubernetes := flags.String("kubernetes", "", "the cluster's `VERSION` of Kubernetes, such as 1.29")
	fresh := flags.Bool("fresh", false, "ignore locks")
	in := Inputs{Features: features, ReadsCatalogs: true}
	command.RunE = func(c *cobra.Command, args []string) error {
		items, err := in.Read(slices.Concat(in.PathsFrom(args, 1), in.Catalogs), c.InOrStdin())
		if err != nil {
			return err
		}
		all := resolve.NewCatalog(items)
		if *kubernetes != "" {
			v, err := resolve.KubernetesVersion(*kubernetes)
			if err != nil {
				return fmt.Errorf("--kubernetes %w", err)
			}
			all.ForKubernetes(v)
		}
		choose := all.Choose
		if *fresh {
			choose = all.ChooseFresh
		}
		choice, err := choose(args[0])
		if err != nil {
			return Refuse(err)
		}
		explain(c.OutOrStdout(), choice)
		for _, warning := range choice.Warnings {
			c.PrintErrf("[warning] %s\n", report.Printable(warning))
		}
		return nil
	}
	command.ValidArgsFunction = FirstArgument(in.CompleteNames(PluginNames))
	return in.ReadProject(command)
}

// explain prints a choice, and the stages that led to it.
func explain(out io.Writer, choice *resolve.Choice) {
	for _, count := range choice.Trace {
		dropped := ""
		if versions := count.Dropped(); len(versions) > 0 {
			dropped = "  leaves out " + strings.Join(versions, ", ")
		}
		fmt.Fprintf(out, "%-20s %5d%s\n", count.Stage, count.Left, dropped)
	}
	if choice.Lock != "" {
		fmt.Fprintln(out, choice.How())
	}
	fmt.Fprintf(out, "chosen %s\ndigest %s\n", choice.Pin(), choice.Digest)
	if choice.Source != "" {
		fmt.Fprintf(out, "source %s\n", report.Printable(choice.Source))
	}
}
