package cluster

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/commands/cluster/status"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// logFlags are the flags of rplug logs.
type logFlags struct {
	statusFlags
	follow bool
}

// logsCommand returns the command that prints the logs of steps. It writes to stdout itself, since it may follow them.
func logsCommand(stdout io.Writer) *cobra.Command {
	var flags logFlags
	command := &cobra.Command{
		Use: "logs SANDBOX [RESOURCE[/STEP]]", GroupID: rplug.GroupCluster, Args: rplug.Arguments(1, 2),
		Short: "Print the logs of the steps of a sandbox",
		Long: "Print the logs of the steps of a sandbox, or of those of one resource or step: of all attempts and\n" +
			"containers, each line with its Pod. The steps are those of the phase that the sandbox is in, in the\n" +
			"order of rplug status. Without --all-namespaces, only one namespace is read.\n\n" +
			"Scripts may print anything: what a terminal would execute is escaped.\n\n" +
			"Exit code: 0 if done, 1 if no such step has a log, 2 if the call is wrong or kubectl fails.",
		Example: "  rplug logs shop -n databases\n  rplug logs shop db/create-user -n databases --follow",
	}
	f := command.Flags()
	f.SortFlags = false
	flags.in(command)
	f.BoolVar(&flags.follow, "follow", false, "print new lines as they come, of one step")
	flags.kubectl.Flags(command)
	command.RunE = func(c *cobra.Command, args []string) error { return flags.run(c, stdout, args) }
	command.ValidArgsFunction = flags.completeSandbox
	return command
}

func (f *logFlags) run(c *cobra.Command, stdout io.Writer, args []string) error {
	if err := f.check(c, args[:1]); err != nil {
		return err
	}
	from := source{statusFlags: &f.statusFlags, sandboxes: []string{contract.LabelValue(args[0])}}
	found, _, err := from.look()
	if err != nil {
		return err
	}
	steps, err := chosen(found, args)
	switch {
	case err != nil:
		return rplug.Refuse(err)
	case f.follow && len(steps) > 1:
		return fmt.Errorf("--follow must be of one step, not %d: name RESOURCE/STEP", len(steps))
	}
	for _, step := range steps {
		arguments := append(step.LogArguments(), "--prefix")
		if f.follow {
			arguments = append(arguments, "--follow")
		}
		if len(steps) > 1 {
			_, _ = fmt.Fprintf(stdout, "--- %s (%s, %s)\n", report.Printable(step.Step), step.Phase, step.State)
		}
		if err := f.kubectl.Stream(c.Context(), stdout, arguments...); err != nil {
			return err
		}
	}
	return nil
}

// chosen returns the steps of a report that arguments name, without those whose workload does not exist.
func chosen(found *status.Report, args []string) ([]*status.Step, error) {
	resource, name := "", ""
	if len(args) > 1 {
		resource, name, _ = strings.Cut(args[1], "/")
	}
	var steps []*status.Step
	var known []string
	for i := range found.Steps {
		step := &found.Steps[i]
		if step.LogArguments() == nil {
			continue
		}
		known = append(known, step.Resource+"/"+step.Name())
		if (resource == "" || step.Resource == contract.LabelValue(resource)) &&
			(name == "" || step.Name() == contract.LabelValue(name)) {
			steps = append(steps, step)
		}
	}
	switch {
	case len(known) == 0:
		return nil, fmt.Errorf("sandbox %q has no step that has started: "+
			"name its namespace with --namespace, or use --all-namespaces", args[0])
	case len(steps) == 0:
		slices.Sort(known)
		return nil, fmt.Errorf("sandbox %q has no step %q that has started, but %s", args[0], args[1],
			strings.Join(slices.Compact(known), ", "))
	}
	return steps, nil
}
