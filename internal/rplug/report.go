package rplug

import (
	"slices"

	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/htmlreport"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// reportFunction is buildFunction with a page in place of the objects: a command of rplug, and no KRM function.
func reportFunction(extensions ...extension.Extension) cli.Function {
	f := buildFunction(extensions...)
	f.Name, f.Command, f.Folder = "report", "", nil
	f.Purpose = "does what build does, and prints a page in HTML: sandboxes, plugins with their pictures, findings at their " +
		"lines, and the objects to be applied. Values of params, variables and Secrets are hidden without --show-values."
	f.Example = "report . > report.html\nreport --show-values plugins/ sandboxes/ > report.html"
	f.Page = func(c cli.Config, run cli.Run) ([]byte, error) {
		return htmlreport.Page{
			Report: run.Report, Paths: run.Paths, Objects: run.Documents,
			IsRequest:  func(item *krm.Item) bool { return extension.Ask(extensions, item) },
			ShowValues: c.(*reportConfig).page.ShowValues,
		}.HTML()
	}
	f.Config = func() cli.Config { return &reportConfig{buildConfig: buildConfig{Chain: build.New(extensions...)}} }
	return f
}

// reportConfig has the config of build, and what is report's own.
type reportConfig struct {
	buildConfig
	page pageOptions
}

type pageOptions struct {
	ShowValues bool `json:"showValues" help:"show the values of params, variables and Secrets, which may be passwords"`
}

// Parts implements cli.Composite.
func (c *reportConfig) Parts() []any { return slices.Concat([]any{&c.page}, c.buildConfig.Parts()) }
