package cluster

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/commands/cluster/status"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// rerunFlags are the flags of rplug rerun.
type rerunFlags struct {
	statusFlags
	dryRun bool
}

func rerunCommand() *cobra.Command {
	var flags rerunFlags
	command := &cobra.Command{
		Use: "rerun SANDBOX RESOURCE/STEP", GroupID: rplug.GroupCluster, Args: rplug.Arguments(2, 2),
		Short: "Delete what keeps a step from running again, for the next apply",
		Long: "Delete the workload of a step, and if it has published outputs the Secret with them: the step runs\n" +
			"again when the render is applied the next time. Steps and copies that have read its outputs are\n" +
			"Stale when it has published again; rplug status has the command for each.\n\n" +
			"A step that runs is refused. A Workflow or a PipelineRun has all steps of its sandbox and phase:\n" +
			"those that have published do not run again.\n\n" +
			"Exit code: 0 if done, 1 if no such step exists or it runs, 2 if the call is wrong or kubectl fails.",
		Example: "  rplug rerun shop db/create-user -n databases --dry-run\n" +
			"  rplug rerun shop db/create-user -n databases && kubectl apply -f create.yaml",
	}
	f := command.Flags()
	f.SortFlags = false
	flags.in(command)
	f.BoolVar(&flags.dryRun, "dry-run", false, "print the commands of kubectl, and run none")
	flags.kubectl.Flags(command)
	command.RunE, command.ValidArgsFunction = flags.run, flags.completeSandbox
	return command
}

func (f *rerunFlags) run(c *cobra.Command, args []string) error {
	if err := f.check(c, args[:1]); err != nil {
		return err
	}
	if _, name, ok := strings.Cut(args[1], "/"); !ok || name == "" {
		return fmt.Errorf("%q must name one step, as RESOURCE/STEP", args[1])
	}
	from := source{statusFlags: &f.statusFlags, sandboxes: []string{contract.LabelValue(args[0])}}
	found, _, err := from.look()
	if err != nil {
		return err
	}
	steps, err := chosen(found, args)
	if err != nil {
		return rplug.Refuse(err)
	}
	if len(steps) > 1 {
		return rplug.Refuse(fmt.Errorf("several sandboxes named %q have this step, in %s: name one with --namespace",
			args[0], namespacesOf(steps)))
	}
	step := steps[0]
	if step.State == status.InProgress {
		return rplug.Refuse(errors.New(report.Printable(step.Step) + " runs: wait for its end, see rplug logs --follow"))
	}
	objects := step.KeepsFromRunning()
	arguments := append([]string{"delete", "-n", step.Namespace, "--ignore-not-found"}, objects...)
	if f.dryRun {
		_, err := fmt.Fprintf(c.OutOrStdout(), "kubectl %s\n", strings.Join(arguments, " "))
		return err
	}
	if _, err := f.kubectl.Run(nil, arguments...); err != nil {
		return err
	}
	rplug.Complain(c.ErrOrStderr(), c, report.Printable(fmt.Sprintf("deleted %s: %s runs again when its render is applied",
		strings.Join(objects, ", "), step.Step)))
	return nil
}

func namespacesOf(steps []*status.Step) string {
	names := make([]string, len(steps))
	for i, step := range steps {
		names[i] = step.Namespace
	}
	return strings.Join(names, ", ")
}
