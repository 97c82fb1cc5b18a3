// Command rplug is the command for people: the KRM functions as subcommands with the same flags and exit codes, and what
// only a command can do, such as keeping catalogs of plugins and carrying them to registries and back.
package main

import (
	"os"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/kubebuilderplugin"
	"github.com/resource-plugins/krm-functions/local/localrun/process"
)

func main() {
	if isKubebuilderPlugin(os.Args[0]) {
		os.Exit(kubebuilderplugin.Serve(os.Stdin, os.Stdout, os.Stderr))
	}
	if code, isStep := process.Main(os.Args[1:]); isStep {
		os.Exit(code)
	}
	cli.HandleSignals(func() { cli.EraseProgress(os.Stderr) })
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
