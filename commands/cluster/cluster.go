// Package cluster has the subcommands of rplug about the objects of sandboxes in a cluster. They run the user's
// kubectl, with the access that it has.
//
//	func main() { rplug.Main(cluster.Extension()) }
package cluster

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// Extension returns the feature.
func Extension() rplug.Extension {
	return rplug.Extension{
		Commands: func(stdout io.Writer, _ renderphase.Extensions) []*cobra.Command {
			return []*cobra.Command{statusCommand(stdout), listCommand(stdout), describeCommand(stdout), logsCommand(stdout),
				rerunCommand()}
		},
	}
}
