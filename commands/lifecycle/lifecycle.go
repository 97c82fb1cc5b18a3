// Package lifecycle has the subcommands of rplug for the end of sandboxes and route groups. They list the expired ones,
// remove and restore them, and find leftovers in clusters. Time is measured by Git: a document exists since the commit
// that added it to the branch.
//
//	func main() { rplug.Main(lifecycle.Extension()) }
package lifecycle

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/commands/lifecycle/undo"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// Extension returns the feature.
func Extension() rplug.Extension {
	return rplug.Extension{
		Extension: undo.Extension(),
		Commands: func(_ io.Writer, features renderphase.Extensions) []*cobra.Command {
			common := features.Common()
			return []*cobra.Command{expireCommand(common), removeCommand(common), restoreCommand(common), sweepCommand(features)}
		},
	}
}
