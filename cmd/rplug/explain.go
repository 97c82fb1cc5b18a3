package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

func explainCommand() *cobra.Command {
	o := &explainOptions{}
	command := &cobra.Command{
		Use: "explain REF [PATH...]", Args: arguments(1, -1), RunE: o.run,
		Short: "Explain which version a reference means",
		Long: "REF is a reference as sandboxes have it, such as hello-db, hello-db@^1.2 or hello-db@stable.\n" +
			"Catalogs, plugin documents and locks below the paths (default: the working directory) count, as\n" +
			"they do for resolve-version. Each stage of the choice shows what it leaves out.",
		Example: "  rplug catalog explain 'hello-db@^1.2' --kubernetes 1.28 catalog.yaml",
	}
	flags := command.Flags()
	flags.StringVar(&o.kubernetes, "kubernetes", "", "the cluster's `VERSION` of Kubernetes, such as 1.29")
	flags.BoolVar(&o.fresh, "fresh", false, "ignore locks")
	o.set = setFlag(flags)
	return command
}

type explainOptions struct {
	kubernetes string
	fresh      bool
	set        map[string]string
}

func (o *explainOptions) run(c *cobra.Command, args []string) error {
	var kubernetes *semver.Version
	if o.kubernetes != "" {
		var err error
		if kubernetes, err = resolve.KubernetesVersion(o.kubernetes); err != nil {
			return fmt.Errorf("--kubernetes %w", err)
		}
	}
	items, err := readDocuments(pathsFrom(args, 1), o.set, c.InOrStdin())
	if err != nil {
		return err
	}
	all := resolve.NewCatalog(items).ForKubernetes(kubernetes)
	choose := all.Choose
	if o.fresh {
		choose = all.ChooseFresh
	}
	choice, err := choose(args[0])
	if err != nil {
		return refuse(err)
	}
	explain(c.OutOrStdout(), choice)
	for _, warning := range choice.Warnings {
		c.PrintErrf("[warning] %s\n", report.Printable(warning))
	}
	return nil
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
