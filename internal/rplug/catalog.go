package rplug

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/subcommand"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	stackresolve "github.com/resource-plugins/krm-functions/stacks/dependency"
)

// catalogCommand returns the command that keeps catalogs, with its subcommands.
func catalogCommand(stdout io.Writer, features []extension.Extension) *cobra.Command {
	catalog := &cobra.Command{
		Use: "catalog COMMAND", DisableFlagsInUseLine: true,
		GroupID: subcommand.GroupCatalogs, Args: cobra.ArbitraryArgs, RunE: subcommand.Unknown,
		Short: "Keep catalogs of plugins: list, explain, publish, push and pull",
		Long: "Keep catalogs of resource plugins: list what is published, refuse to change it, explain what a\n" +
			"reference means, and carry catalogs with their plugins to registries and back.\n" + subcommand.ExitCodes,
		SuggestionsMinimumDistance: subcommand.SuggestionDistance,
	}
	catalog.AddCommand(
		indexCommand(features), listCommand(features), versionsCommand(features), explainCommand(features),
		catalogDiffCommand(), yankCommand(), deprecateCommand(), pushCommand(features), pullCommand(),
		functionCommand("lint", "Find what is wrong with catalogs, locks and changed documents", lintFunction(), stdout),
	)
	for _, c := range catalog.Commands() {
		c.GroupID = ""
		c.Flags().SortFlags = false
	}
	return catalog
}

// lintFunction checks files and folders, or as a KRM function a ResourceList from stdin.
func lintFunction() cli.Function {
	return cli.Function{
		Name:    "catalog lint",
		Purpose: "finds what is wrong with catalogs, locks, and documents changed since publication.",
		Kind:    "CatalogLint",
		Modes:   func() []cli.Mode { return []cli.Mode{&cli.Findings{}} },
		Example: "catalog lint plugins/ catalog.yaml",
		Config:  func() cli.Config { return &lintConfig{} },
	}
}

type lintConfig struct{}

func (*lintConfig) Process(call cli.Call) (string, error) {
	call.List.Report(resolve.Lint(call.List.Items())...)
	call.List.Report(stackresolve.Lint(call.List.Items())...)
	return "checked the catalogs", nil
}

// maxCell is how many characters of a text a table shows: a whole digest.
const maxCell = 72

// table prints rows in columns.
type table struct{ writer *tabwriter.Writer }

func newTable(out io.Writer, titles ...string) table {
	t := table{tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.StripEscape)}
	t.row(titles...)
	return t
}

// row prints texts: of a long one, or one of several lines, the beginning.
func (t table) row(texts ...string) {
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
	_, _ = fmt.Fprintln(t.writer, strings.Join(cells, "\t"))
}
