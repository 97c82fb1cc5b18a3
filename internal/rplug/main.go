// Package rplug is the command-line tool for users. Its subcommands are the KRM functions, with the same flags and exit
// codes, and tasks that only a command can do, such as maintaining catalogs of plugins and copying them to and from
// registries. Its main calls Main with the features that it has, each an Extension:
//
//	func main() { rplug.Main(command.Extension()) }
package rplug

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// Extension is a feature that adds to the command. A zero field adds nothing.
type Extension struct {
	renderphase.Extension
	// Commands returns its subcommands, each with a group. They print to the output of the cobra.Command, which is written
	// when the command is done; stdout is for those that write themselves. The features are those of the program.
	Commands func(stdout io.Writer, features renderphase.Extensions) []*cobra.Command
	// List returns the entries of the feature in catalogs, nil without entries, and Versions the versions of a name, nil
	// if no catalog lists it. Both are nil if a feature has nothing in catalogs.
	List     func(documents []*resolve.CatalogDocument) *Listing
	Versions func(documents []*resolve.CatalogDocument, name string) *Listing
	// Watch is cli.Function.Watch of build and validate; nil for all but one feature.
	Watch func(ctx context.Context, files cli.Watched) error
	// Program runs another program that is part of rplug, selected by the name that it was called by or by its arguments.
	// It reports false if it was called as rplug. It may be nil.
	Program func(name string, arguments []string) (exitCode int, isProgram bool)
}

// Main runs the command on the process's arguments and streams, and exits.
func Main(extensions ...Extension) {
	for _, e := range extensions {
		if e.Program == nil {
			continue
		}
		if code, isProgram := e.Program(filepath.Base(os.Args[0]), os.Args[1:]); isProgram {
			os.Exit(code)
		}
	}
	ctx := cli.HandleSignals(func() { cli.EraseProgress(os.Stderr) })
	stderr, flush := report.ForLog(os.Stderr, os.Getenv)
	code := Run(ctx, os.Args[1:], os.Stdin, os.Stdout, stderr, extensions...)
	flush()
	os.Exit(code)
}
