// Command rplug is the command for people: the KRM functions as subcommands with the same flags and exit codes, and what
// only a command can do, such as keeping catalogs of plugins and carrying them to registries and back.
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
