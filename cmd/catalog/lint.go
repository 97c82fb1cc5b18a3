package main

import (
	"io"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// lintCommand is for the help alone: file mode of the functions does the work.
func lintCommand() command {
	return command{
		name: "lint", purpose: "finds what is wrong with catalogs, locks, and documents changed since publication",
		prepare: func(*pflag.FlagSet) func(*call) error { return nil },
	}
}

// lint checks files and folders, or as a KRM function a ResourceList from stdin.
func lint(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return cli.Function{
		Name:    "catalog lint",
		Purpose: lintCommand().purpose + ".",
		Kind:    "CatalogLint",
		Output:  cli.Findings,
		Example: "catalog lint plugins/ catalog.yaml",
		Config:  func() cli.Config { return &linting{} },
	}.Run(args, stdin, stdout, stderr)
}

type linting struct{}

func (*linting) Process(call cli.Call) (string, error) {
	call.List.Report(resolve.Lint(call.List.Items())...)
	return "checked the catalogs", nil
}
