package cluster

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/commands/cluster/status"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// listCommand returns the command that lists the sandboxes of a cluster.
func listCommand(stdout io.Writer) *cobra.Command {
	flags := statusFlags{output: rplug.Text, style: report.StyleFor(isScreen(stdout), false, os.Getenv)}
	command := &cobra.Command{
		Use: "list", GroupID: rplug.GroupCluster, Args: rplug.Arguments(0, 0),
		Short: "List the sandboxes that have objects in a cluster",
		Long: "List the sandboxes that have steps or outputs in a cluster, with their state: the worst one of their\n" +
			"steps. rplug status NAME has the steps. Without --all-namespaces, only one namespace is read. The\n" +
			"age is the time since the newest step has ended, or else was started.\n\n" +
			"Exit code: 0 if done, also if there is no sandbox; 2 if the call is wrong or kubectl fails.",
		Example: "  rplug list -A\n  kubectl get jobs,pods,secrets -A -o json | rplug list -f -",
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringArrayVarP(&flags.dumps, "file", "f", nil, "read a `DUMP` of kubectl get, - for stdin, instead of running kubectl")
	flags.in(command)
	flags.output.Flag(command)
	flags.kubectl.Flags(command)
	command.RunE, command.ValidArgsFunction = flags.list, cobra.NoFileCompletions
	return command
}

func (f *statusFlags) list(c *cobra.Command, _ []string) error {
	if err := f.check(c, nil); err != nil {
		return err
	}
	from := source{statusFlags: f}
	var found *status.Report
	var objects *status.Objects
	var err error
	if len(f.dumps) > 0 {
		if objects, err = from.readDumps(c.InOrStdin()); err == nil {
			found = from.judge(objects)
		}
	} else {
		found, objects, err = from.look()
	}
	if err != nil {
		return err
	}
	for _, unknown := range found.Unknown {
		rplug.Complain(c.ErrOrStderr(), c, "not known: "+unknown)
	}
	sandboxes := found.Sandboxes()
	if f.output == rplug.JSON {
		return rplug.PrintJSON(c.OutOrStdout(), sandboxes)
	}
	if len(sandboxes) == 0 {
		rplug.Complain(c.ErrOrStderr(), c, "no sandbox was found: name its namespace with --namespace, or use --all-namespaces")
		return nil
	}
	_, err = io.WriteString(c.OutOrStdout(), status.SandboxesText(sandboxes, f.now(objects), f.style))
	return err
}
