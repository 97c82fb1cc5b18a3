// Package command has the subcommands of rplug that run and test plugins on this machine.
//
//	func main() { rplug.Main(command.Extension()) }
package command

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// Extension returns the feature with its subcommands. The engine `process` starts rplug again in each step, as its runner.
func Extension() rplug.Extension {
	return rplug.Extension{
		Commands: func(stdout io.Writer, features renderphase.Extensions) []*cobra.Command {
			return []*cobra.Command{runCommand(features), testCommand(stdout, features), doctorCommand(stdout, features.Common())}
		},
		Program: func(_ string, arguments []string) (exitCode int, isProgram bool) { return process.Main(arguments) },
	}
}
