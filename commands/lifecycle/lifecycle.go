// Package lifecycle has the subcommands of rplug for the end of sandboxes and route groups: which have expired, how they are
// removed, and what is left of those that are gone. Their clock is Git's: a document exists since the commit that brought it
// to the branch.
//
//	func main() { rplug.Main(lifecycle.Extension()) }
package lifecycle

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/commands/lifecycle/undo"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// Extension returns the feature.
func Extension() rplug.Extension {
	return rplug.Extension{
		Extension: undo.Extension(),
		Commands: func(_ io.Writer, features []extension.Extension) []*cobra.Command {
			return []*cobra.Command{expireCommand(features), removeCommand(features), restoreCommand(features),
				sweepCommand(features)}
		},
	}
}
