package main

import (
	"io"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/pkg/catalog"
	"github.com/resource-plugins/krm-functions/pkg/krm/process"
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
	return process.Function{
		Name:    "catalog lint",
		Purpose: lintCommand().purpose + ".",
		Kind:    "CatalogLint",
		Prints:  process.Findings,
		Example: "catalog lint plugins/ catalog.yaml",
		Config:  func() process.Config { return &linting{} },
	}.Run(args, stdin, stdout, stderr)
}

type linting struct{}

func (*linting) Process(call process.Call) (string, error) {
	call.List.Report(catalog.Lint(call.List.Items())...)
	return "checked the catalogs", nil
}
