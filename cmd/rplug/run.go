package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/localrun"
	"github.com/resource-plugins/krm-functions/internal/localrun/process"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// runFlags are the flags of rplug run.
type runFlags struct {
	phase       string
	params      map[string]string
	sandbox     string
	engine      string
	set         map[string]string
	parallel    int
	rerun       bool
	logs        bool
	showOutputs bool
	output      output
}

func runCommand() *cobra.Command {
	flags := runFlags{output: textOutput}
	command := &cobra.Command{
		Use: "run PLUGIN [PATH...]", GroupID: groupRun, Args: arguments(1, -1),
		Short: "Run the steps of a plugin here, without a cluster",
		Long: "Run the create or delete phase of a plugin on this machine, as a cluster would: steps run in parallel\n" +
			"once the outputs that they read are published, and a step that is published does not run again.\n" +
			"PLUGIN is a reference such as hello-db or hello-db@^1.2. The documents below the paths (default: the\n" +
			"working directory) have the plugin, and the Secrets and ConfigMaps that its steps read.\n\n" +
			"Outputs and logs are kept in .rplug of the working directory, so that the delete phase finds them.\n" +
			"The engine process runs scripts directly on this machine, with the rights of the user.\n\n" +
			"Exit code: 0 if all steps are done, 1 if one has failed or a document is refused, 2 if the call is\n" +
			"wrong or the engine cannot run.",
		Example: "  rplug run hello-db plugins/ --param dbname=test\n" +
			"  rplug run hello-db plugins/ --param dbname=test --phase delete",
	}
	flags.declare(command.Flags())
	command.RunE = flags.run
	return command
}

func (f *runFlags) declare(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&f.phase, "phase", string(v1alpha1.PhaseCreate), "`PHASE` to run: create or delete")
	flags.StringToStringVar(&f.params, "param", nil, "`NAME=VALUE` of a param; repeatable")
	flags.StringVar(&f.sandbox, "sandbox", "", "`NAME` of a sandbox among the documents, whose params and id are used")
	flags.StringVar(&f.engine, "engine", "", "`ENGINE`: docker, podman or process (default: docker, then podman)")
	flags.StringToStringVar(&f.set, "set", nil, "`NAME=VALUE` of a variable of native documents; repeatable")
	flags.IntVar(&f.parallel, "parallel", 0, "run at most `N` steps at once; 0 is no limit")
	flags.BoolVar(&f.rerun, "rerun", false, "run all steps, those that are published, too")
	flags.BoolVar(&f.logs, "logs", false, "print what all steps printed, not only failed ones")
	flags.BoolVar(&f.showOutputs, "show-outputs", false, "print the values of outputs, which can be secrets")
	flags.VarP(&f.output, "output", "o", outputUsage)
}

func (f *runFlags) run(c *cobra.Command, args []string) error {
	phase := v1alpha1.Phase(f.phase)
	if phase != v1alpha1.PhaseCreate && phase != v1alpha1.PhaseDelete {
		return fmt.Errorf("--phase must be create or delete, not %q", f.phase)
	}
	if f.parallel < 0 {
		return fmt.Errorf("--parallel must not be negative: %d", f.parallel)
	}
	items, err := readDocuments(pathsFrom(args, 1), f.set, c.InOrStdin())
	if err != nil {
		return err
	}
	request := localrun.Request{Plugin: args[0], Sandbox: f.sandbox, Params: f.params, Phase: phase}
	objects, err := localrun.Render(krm.NewList(items...), request, build.New())
	if err != nil {
		return err
	}
	state, err := localrun.OpenState(localrun.StateFolder)
	if err != nil {
		return err
	}
	engine, err := f.open(c)
	if err != nil {
		return err
	}
	ctx, stop := cli.Interruptible(c.Context())
	defer stop()
	progress := newRunProgress(c.ErrOrStderr())
	result, err := localrun.Run(ctx, objects, localrun.Options{
		Engine: engine, State: state, Phase: phase, Parallel: f.parallel, Observe: progress.observe, Rerun: f.rerun,
	})
	progress.end()
	if result != nil {
		f.printLogs(c.ErrOrStderr(), result)
		err = errors.Join(err, f.print(c.OutOrStdout(), result))
	}
	err = errors.Join(err, engine.Close())
	var interrupted cli.Interrupted
	switch {
	case errors.As(err, &interrupted):
		return errors.Join(err, functionExit(interrupted.ExitCode()))
	case err != nil:
		return err
	case result.Failed():
		return refuse(errors.New("a step has failed"))
	}
	return nil
}

// open returns the engine.
func (f *runFlags) open(c *cobra.Command) (localrun.Engine, error) {
	switch f.engine {
	case process.Name:
		engine, err := process.New(process.Options{})
		if err != nil {
			return nil, err
		}
		c.PrintErrf("[warning] the scripts run directly on this machine, with your rights and without their images\n")
		if isolated, reason := engine.IsIsolated(); !isolated {
			c.PrintErrf("[warning] the scripts see and change your files, since this machine allows no namespaces: %s\n",
				report.Printable(reason.Error()))
		}
		return engine, nil
	case "", "docker", "podman":
		return nil, errors.New("the engine must be given: --engine process")
	}
	return nil, fmt.Errorf("--engine must be docker, podman or process, not %q", f.engine)
}
