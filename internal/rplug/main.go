// Package rplug is the command for people: the KRM functions as subcommands with the same flags and exit codes, and what
// only a command can do, such as keeping catalogs of plugins and carrying them to registries and back. Its main calls Main
// with the features that it has, each an Extension:
//
//	func main() { rplug.Main() }
package rplug

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/kubebuilderplugin"
	"github.com/resource-plugins/krm-functions/internal/localrun/process"
)

// Extension is a feature that adds to the command.
type Extension struct {
	// Commands returns its subcommands, each with a group of package subcommand. What they print goes to the output of the
	// cobra.Command, which is written when the command is done; stdout is for those that write themselves.
	Commands func(stdout io.Writer) []*cobra.Command
}

// Main runs the command on the process's arguments and streams, and exits.
func Main(extensions ...Extension) {
	if isKubebuilderPlugin(os.Args[0]) {
		os.Exit(kubebuilderplugin.Serve(os.Stdin, os.Stdout, os.Stderr))
	}
	process.Enter()
	ctx := cli.HandleSignals(func() { cli.EraseProgress(os.Stderr) })
	os.Exit(Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, extensions...))
}
