package rplug

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// catalogCommand returns the command that keeps catalogs, with its subcommands.
func catalogCommand(stdout io.Writer, features []extension.Extension, extensions []Extension) *cobra.Command {
	catalog := &cobra.Command{
		Use: "catalog COMMAND", DisableFlagsInUseLine: true,
		GroupID: GroupCatalogs, Args: cobra.ArbitraryArgs, RunE: Unknown,
		Short: "Keep catalogs of plugins: list, explain, publish, push and pull",
		Long: "Keep catalogs of resource plugins: list what is published, refuse to change it, explain what a\n" +
			"reference means, and carry catalogs with their plugins to registries and back.\n" + ExitCodes,
		SuggestionsMinimumDistance: SuggestionDistance,
	}
	catalog.AddCommand(
		indexCommand(features), listCommand(features, extensions), versionsCommand(features, extensions),
		explainCommand(features), catalogDiffCommand(), yankCommand(), deprecateCommand(), pushCommand(features), pullCommand(),
		functionCommand("lint", "Find errors in catalogs, locks and changed documents", lintFunction(features), stdout),
	)
	for _, c := range catalog.Commands() {
		c.GroupID = ""
		c.Flags().SortFlags = false
	}
	return catalog
}

// lintFunction checks files and folders, or as a KRM function a ResourceList from stdin.
func lintFunction(features []extension.Extension) cli.Function {
	return cli.Function{
		Name:    "catalog lint",
		Purpose: "finds what is wrong with catalogs, locks, and documents changed since publication.",
		Kind:    "CatalogLint",
		Modes:   func() []cli.Mode { return []cli.Mode{&cli.Findings{}} },
		Example: "catalog lint plugins/ catalog.yaml",

		Extensions: features,
		Config:     func() cli.Config { return &lintConfig{features} },
	}
}

type lintConfig struct{ features []extension.Extension }

func (c *lintConfig) Process(call cli.Call) (string, error) {
	call.List.Report(resolve.Lint(call.List.Items())...)
	for _, one := range extension.Resolvers(c.features) {
		call.List.Report(one.Lint(call.List.Items())...)
	}
	return "checked the catalogs", nil
}

// maxCell is how many characters of a text a table shows: a whole digest.
const maxCell = 72

// Listing holds the entries of one kind in catalogs, for people and for programs.
type Listing struct {
	// Key is the key of the list in the output of --output json, and JSON the list itself.
	Key  string
	JSON any
	// Titles are those of the columns, and Rows the elements of the list.
	Titles []string
	Rows   [][]string
}

// printListings prints lists as tables, or as one JSON object. A first table without rows is left out if there are others.
func printListings(out io.Writer, listings []*Listing, output Output) error {
	if output == JSON {
		lists := map[string]any{}
		for _, one := range listings {
			lists[one.Key] = one.JSON
		}
		return PrintJSON(out, lists)
	}
	if len(listings) > 1 && len(listings[0].Rows) == 0 {
		listings = listings[1:]
	}
	for _, one := range listings {
		if err := one.print(out); err != nil {
			return err
		}
	}
	return nil
}

// print prints a table. Of a long text, or one of several lines, it has the beginning.
func (l *Listing) print(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.StripEscape)
	for _, texts := range slices.Concat([][]string{l.Titles}, l.Rows) {
		cells := make([]string, len(texts))
		for i, text := range texts {
			text, _, _ = strings.Cut(text, "\n")
			if runes := []rune(text); len(runes) > maxCell {
				text = string(runes[:maxCell-1]) + "…"
			}
			if cells[i] = report.Printable(text); text == "" {
				cells[i] = "-"
			}
		}
		_, _ = fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	return table.Flush()
}
