// Package review has the subcommands of rplug that show people the effects of a change before it is applied: which steps run
// again and why, and a page with the sandboxes, findings and objects.
//
//	func main() { rplug.Main(review.Extension()) }
package review

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// Extension returns the feature.
func Extension() rplug.Extension {
	return rplug.Extension{
		Commands: func(stdout io.Writer, features renderphase.Extensions) []*cobra.Command {
			return []*cobra.Command{diffCommand(features), reportCommand(stdout, features)}
		},
	}
}
