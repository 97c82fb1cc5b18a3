package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engines"
	"github.com/resource-plugins/krm-functions/internal/localrun"
	"github.com/resource-plugins/krm-functions/internal/localrun/container"
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
	helperImage string
	network     string
	inputs      inputs
	parallel    int
	rerun       bool
	logs        bool
	showOutputs bool
	output      output
}

func runCommand() *cobra.Command {
	flags := runFlags{output: textOutput, params: map[string]string{}, inputs: inputs{readsCatalogs: true}}
	command := &cobra.Command{
		Use: "run PLUGIN [PATH...]", GroupID: groupRun, Args: arguments(1, -1),
		Short: "Run the steps of a plugin here, without a cluster",
		Long: "Run the create or delete phase of a plugin on this machine, as a cluster would: a step runs once the\n" +
			"outputs that it reads are published, in parallel with others, and not again once it is published.\n" +
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
	return flags.inputs.readsProject(command)
}

func (f *runFlags) declare(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&f.phase, "phase", string(v1alpha1.PhaseCreate), "`PHASE` to run: create or delete")
	flags.Func("param", "`NAME=VALUE` of a param; repeatable", func(text string) error {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return fmt.Errorf("must be NAME=VALUE, not %q", text)
		}
		f.params[name] = value
		return nil
	})
	flags.StringVar(&f.sandbox, "sandbox", "", "`NAME` of a sandbox among the documents, whose params and id are used")
	flags.StringVar(&f.engine, "engine", "", "`ENGINE`: docker, podman or process (default: docker, then podman)")
	flags.StringVar(&f.helperImage, "helper-image", "",
		"`IMAGE` with the runner of steps (default: rplug itself on Linux,\nelsewhere "+contract.RuntimeImage+")")
	flags.StringVar(&f.network, "network", "", "`NETWORK` of containers, as docker knows it (default: that of the engine)")
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
	items, err := f.inputs.read(f.inputs.pathsFrom(args, 1), c.InOrStdin())
	if err != nil {
		return err
	}
	request := localrun.Request{Plugin: args[0], Sandbox: f.sandbox, Params: f.params, Phase: phase}
	list := krm.NewList(items...)
	objects, err := localrun.Render(list, request, build.New())
	if err != nil {
		return err
	}
	for _, result := range list.Results() {
		if result.Severity == krm.Warning {
			c.PrintErrln(report.Line(result, report.Style{}))
		}
	}
	state, err := localrun.OpenState(localrun.StateFolder)
	if err != nil {
		return err
	}
	result, err := f.execute(c, objects, localrun.Options{
		State: state, Phase: phase, Parallel: f.parallel, Rerun: f.rerun, Warn: func(message string) { warn(c, message) },
	})
	if result != nil {
		f.printLogs(c.ErrOrStderr(), result)
		err = errors.Join(err, f.print(c.OutOrStdout(), result))
	}
	var interrupted cli.Interrupted
	switch {
	case errors.As(err, &interrupted):
		complain(c.ErrOrStderr(), c, err.Error())
		return functionExit(interrupted.ExitCode())
	case err != nil:
		return err
	case result.Failed():
		return refuse(errors.New("a step has failed"))
	}
	return nil
}

// execute runs the objects with the engine and shows the progress.
func (f *runFlags) execute(c *cobra.Command, objects []*krm.Item, options localrun.Options) (*localrun.Report, error) {
	ctx, stop := cli.Interruptible(c.Context())
	defer stop()
	progress := newRunProgress(c.ErrOrStderr())
	defer progress.end()
	engine, err := f.open(c, progress)
	if err != nil {
		return nil, err
	}
	options.Engine, options.Observe = engine, progress.observe
	result, err := localrun.Run(ctx, objects, options)
	return result, errors.Join(err, engine.Close())
}

// open returns the engine: the one that is named, else the first program that runs containers and answers.
func (f *runFlags) open(c *cobra.Command, progress *runProgress) (localrun.Engine, error) {
	switch {
	case f.engine == process.Name:
		return openProcess(c)
	case slices.Contains(container.Programs(), f.engine):
		return f.openContainer(c, f.engine, progress)
	case engines.Named(f.engine) != nil:
		return nil, fmt.Errorf("--engine must be docker, podman or process, not %q, which is for clusters: steps run here in "+
			"the same way, whatever engine a cluster has", f.engine)
	case f.engine != "":
		return nil, fmt.Errorf("--engine must be docker, podman or process, not %q", f.engine)
	}
	var problems []string
	for _, program := range container.Programs() {
		opened, err := f.openContainer(c, program, progress)
		if err == nil {
			return opened, nil
		}
		problems = append(problems, err.Error())
	}
	return nil, fmt.Errorf("containers cannot be run: %s: with --engine process, scripts run directly on this machine, with "+
		"your rights", strings.Join(problems, "; "))
}

func (f *runFlags) openContainer(c *cobra.Command, program string, progress *runProgress) (localrun.Engine, error) {
	if _, err := localrun.OpenState(localrun.StateFolder); err != nil { // the daemon sees files below the working directory
		return nil, err
	}
	folder, err := filepath.Abs(localrun.StateFolder)
	if err != nil {
		return nil, err
	}
	options := container.Options{
		Environment: os.Environ(), Folder: folder, HelperImage: f.runnerImage(), Network: f.network,
		Progress: progress.note,
	}
	if self, err := os.Executable(); err == nil && f.helperImage == "" {
		options.Runner = container.Runner{File: self, Arguments: []string{process.RunnerArgument}}
	}
	return container.New(c.Context(), program, options)
}

// runnerImage is the image that has the runner.
func (f *runFlags) runnerImage() string {
	if f.helperImage == "" && f.inputs.project != nil {
		return cmp.Or(f.inputs.project.HelperImage, contract.RuntimeImage)
	}
	return cmp.Or(f.helperImage, contract.RuntimeImage)
}

// openProcess returns the engine without containers, and says what that means.
func openProcess(c *cobra.Command) (localrun.Engine, error) {
	engine, err := process.New(process.Options{})
	if err != nil {
		return nil, err
	}
	warn(c, "the scripts run directly on this machine, with your rights and without their images")
	if isolated, reason := engine.IsIsolated(); !isolated {
		warn(c, "the scripts see and change your files, since this machine allows no namespaces: "+reason.Error())
	}
	return engine, nil
}

func warn(c *cobra.Command, message string) { c.PrintErrf("[warning] %s\n", report.Printable(message)) }
