// Package command has the subcommands of rplug for kubebuilder's external plugins. They install our plugin, run chains of
// plugins, and test plugins against the protocol.
//
//	func main() { rplug.Main(command.Extension()) }
package command

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/kubebuilder"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/plugin"
)

// Extension returns the feature with its subcommands. If rplug is started under the file name that an external plugin has in
// its discovery folder, it acts as the plugin.
func Extension() rplug.Extension {
	return rplug.Extension{
		Extension: renderphase.Extension{Extension: kubebuilder.Extension()},
		Commands: func(stdout io.Writer, _ renderphase.Extensions) []*cobra.Command {
			return []*cobra.Command{newCommand(stdout)}
		},
		Program: func(name string, _ []string) (exitCode int, isProgram bool) {
			if name != plugin.Name {
				return 0, false
			}
			return plugin.Serve(os.Stdin, os.Stdout, os.Stderr), true
		},
	}
}

func newCommand(stdout io.Writer) *cobra.Command {
	command := &cobra.Command{
		Use: "kubebuilder", GroupID: rplug.GroupCatalogs, Args: cobra.ArbitraryArgs, RunE: rplug.Unknown,
		Short: "Install, run and test kubebuilder's external plugins",
	}
	command.AddCommand(installCommand(), runCommand(), testCommand(stdout))
	return command
}
