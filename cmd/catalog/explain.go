package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/documents"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

func explainCommand() command {
	return command{
		name: "explain", usage: "REF [PATH...]", least: 1, most: -1,
		purpose: "tells which version a reference means, and what each stage of the choice left out",
		details: "REF is what a sandbox says, such as hello-db, hello-db@^1.2 or hello-db@stable. Catalogs, plugin\n" +
			"documents and locks below the paths (default: the working directory) count, as they do for\n" +
			"resolve-version.",
		example: "catalog explain 'hello-db@^1.2' --kubernetes 1.28 catalog.yaml",
		prepare: func(flags *pflag.FlagSet) func(*call) error {
			o := &explaining{}
			flags.StringVar(&o.kubernetes, "kubernetes", "", "the cluster's `VERSION` of Kubernetes, such as 1.29")
			flags.BoolVar(&o.fresh, "fresh", false, "without regard to locks")
			o.set = setFlag(flags)
			return o.run
		},
	}
}

type explaining struct {
	kubernetes string
	fresh      bool
	set        variables
}

func (o *explaining) run(c *call) error {
	var options []resolve.Option
	if o.kubernetes != "" {
		v, err := resolve.KubernetesVersion(o.kubernetes)
		if err != nil {
			return fmt.Errorf("--kubernetes %w", err)
		}
		options = append(options, resolve.ForKubernetes(v))
	}
	items, err := documents.Read(c.paths(1), o.set, c.stdin)
	if err != nil {
		return err
	}
	all := resolve.NewCatalog(items, options...)
	choose := all.Choose
	if o.fresh {
		choose = all.ChooseFresh
	}
	choice, err := choose(c.args[0])
	if err != nil {
		return refuse(err)
	}
	c.explain(choice)
	return nil
}

// explain prints a choice, and the stages that led to it.
func (c *call) explain(choice *resolve.Choice) {
	for _, count := range choice.Trail {
		left := ""
		if dropped := count.Dropped(); len(dropped) > 0 {
			left = "  leaves out " + strings.Join(dropped, ", ")
		}
		fmt.Fprintf(&c.out, "%-20s %5d%s\n", count.Stage, count.Left, left)
	}
	if choice.Lock != "" {
		fmt.Fprintf(&c.out, "%s\n", choice.How())
	}
	fmt.Fprintf(&c.out, "chosen %s\ndigest %s\n", choice.Name, choice.Digest)
	if choice.Source != "" {
		fmt.Fprintf(&c.out, "source %s\n", documents.Printable(choice.Source))
	}
	for _, warning := range choice.Warnings {
		fmt.Fprintf(&c.notes, "[warning] %s\n", documents.Printable(warning))
	}
}
