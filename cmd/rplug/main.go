// Command rplug is the command-line tool for users. Its subcommands are the KRM functions, with the same flags and exit
// codes, and tasks that only a command can do, such as maintaining catalogs of plugins and copying them to and from
// registries.
package main

import (
	"github.com/resource-plugins/krm-functions/commands/cluster"
	"github.com/resource-plugins/krm-functions/commands/lifecycle"
	local "github.com/resource-plugins/krm-functions/commands/local/command"
	"github.com/resource-plugins/krm-functions/commands/review"
	"github.com/resource-plugins/krm-functions/commands/watch"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	kubebuilder "github.com/resource-plugins/krm-functions/kubebuilder/command"
	stacks "github.com/resource-plugins/krm-functions/stacks/command"
)

func main() { rplug.Main(extensions()...) }

// extensions are the features of the command.
func extensions() []rplug.Extension {
	return []rplug.Extension{
		stacks.Extension(),
		kubebuilder.Extension(),
		local.Extension(),
		review.Extension(),
		cluster.Extension(),
		lifecycle.Extension(),
		watch.Extension(),
	}
}
