package review

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/commands/review/htmlreport"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// reportCommand returns the command that writes a page about a build.
func reportCommand(stdout io.Writer, features renderphase.Extensions) *cobra.Command {
	const short = "Write a page about documents: sandboxes, plugins, findings, objects"
	return rplug.BuildCommand("report", short, reportFunction(features...), stdout)
}

// reportFunction is the function of rplug build with a page in place of the objects.
func reportFunction(extensions ...renderphase.Extension) cli.Function {
	f := rplug.BuildFunction(extensions...)
	f.Name, f.Command = "report", ""
	f.Purpose = "does what build does, and prints a page in HTML: sandboxes, plugins with their pictures, findings at their " +
		"lines, and the objects to be applied. Values of params, variables and Secrets are hidden without --show-values."
	f.Example = "report . > report.html\nreport --show-values plugins/ sandboxes/ > report.html"
	text := func(c cli.Config, run cli.Run) ([]byte, error) {
		return htmlreport.Page{
			Report: run.Report, Paths: run.Paths, Objects: run.Objects,
			IsRequest:  func(item *krm.Item) bool { return extension.Ask(f.Extensions, item) },
			ShowValues: c.(*reportConfig).page.ShowValues,
		}.HTML()
	}
	f.Modes = func() []cli.Mode { return []cli.Mode{&cli.Page{Text: text}} }
	f.Config = func() cli.Config { return &reportConfig{BuildConfig: rplug.NewBuildConfig(extensions...)} }
	return f
}

// reportConfig has the config of build and the options of report.
type reportConfig struct {
	*rplug.BuildConfig
	page pageOptions
}

type pageOptions struct {
	ShowValues bool `json:"showValues" help:"show the values of params, variables and Secrets, which may be passwords"`
}

// Parts implements cli.Composite.
func (c *reportConfig) Parts() []any { return slices.Concat([]any{&c.page}, c.BuildConfig.Parts()) }
