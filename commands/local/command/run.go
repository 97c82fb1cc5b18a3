package command

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/commands/kubectl"
	"github.com/resource-plugins/krm-functions/commands/local"
	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
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
	inputs      rplug.Inputs
	chain       build.Chain
	parallel    int
	rerun       bool
	keep        bool
	shell       string
	outputsFrom string
	kubectl     kubectl.Kubectl
	logs        bool
	showOutputs bool
	output      rplug.Output
}

func runCommand(features renderphase.Extensions) *cobra.Command {
	flags := runFlags{
		output: rplug.Text, params: map[string]string{}, chain: build.New(features...),
		inputs: rplug.Inputs{Features: features.Common(), ReadsCatalogs: true},
	}
	command := &cobra.Command{
		Use: "run PLUGIN [PATH...]", GroupID: rplug.GroupRun, Args: rplug.Arguments(1, -1),
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
	flags.declare(command)
	command.RunE, command.ValidArgsFunction = flags.run, rplug.FirstArgument(flags.inputs.CompleteNames(rplug.PluginNames))
	for name, complete := range map[string]cobra.CompletionFunc{
		"phase": rplug.CompleteOne(phases()...), "engine": rplug.CompleteOne(local.Engines()...), "param": cobra.NoFileCompletions,
		"sandbox": flags.inputs.CompleteNames(rplug.SandboxNames), "shell": flags.inputs.CompleteNames(rplug.StepNames),
		"outputs-from": cobra.FixedCompletions([]string{fromCluster}, cobra.ShellCompDirectiveFilterDirs),
	} {
		rplug.Register(command, name, complete)
	}
	return flags.inputs.ReadProject(command)
}

// phases are the values of --phase.
func phases() []string {
	names := make([]string, len(v1alpha1.Phases))
	for i, phase := range v1alpha1.Phases {
		names[i] = string(phase)
	}
	return names
}

func (f *runFlags) declare(command *cobra.Command) {
	flags := command.Flags()
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
	flags.BoolVar(&f.keep, "keep", false, "keep the container or folder of a failed step, and print where it is")
	flags.StringVar(&f.shell, "shell", "", "run a shell in the place of `STEP` or RESOURCE/STEP; publish nothing")
	flags.StringVar(&f.outputsFrom, "outputs-from", "", "`FROM` where outputs of steps are that did not run here: "+
		"cluster,\nor the folder .rplug of another run")
	f.kubectl.Flags(command)
	flags.BoolVar(&f.logs, "logs", false, "print what all steps printed, not only failed ones")
	flags.BoolVar(&f.showOutputs, "show-outputs", false, "print the values of outputs, which can be secrets")
	f.output.Flag(command)
}

func (f *runFlags) run(c *cobra.Command, args []string) error {
	phase := v1alpha1.Phase(f.phase)
	if err := f.check(c); err != nil {
		return err
	}
	items, err := f.inputs.Read(f.inputs.PathsFrom(args, 1), c.InOrStdin())
	if err != nil {
		return err
	}
	request := localrun.Request{Plugin: args[0], Sandbox: f.sandbox, Params: f.params, Phase: phase}
	list := krm.NewList(items...)
	objects, err := localrun.Render(list, request, f.chain)
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
	options := localrun.Options{
		State: state, Phase: phase, Parallel: f.parallel, Rerun: f.rerun, Warn: func(message string) { warn(c, message) },
		Shell: f.shellOf(),
	}
	if options.Published, err = f.published(); err != nil {
		return err
	}
	if f.keep {
		options.Keep = filepath.FromSlash(localrun.KeptFolder)
	}
	result, err := f.execute(c, objects, options)
	if result != nil {
		local.WriteLogs(c.ErrOrStderr(), result, f.logs)
		local.WriteKept(c.ErrOrStderr(), result)
		err = errors.Join(err, f.print(c.OutOrStdout(), local.Steps(result, f.showOutputs)))
	}
	var interrupted cli.Interrupted
	switch {
	case errors.As(err, &interrupted):
		rplug.Complain(c.ErrOrStderr(), c, err.Error())
		return rplug.Exit(interrupted.ExitCode())
	case err != nil:
		return err
	case result.Failed():
		return rplug.Refuse(errors.New("a step has failed"))
	}
	return nil
}

// check refuses wrong flags.
func (f *runFlags) check(c *cobra.Command) error {
	switch phase := v1alpha1.Phase(f.phase); {
	case phase != v1alpha1.PhaseCreate && phase != v1alpha1.PhaseDelete:
		return fmt.Errorf("--phase must be create or delete, not %q", f.phase)
	case kubectl.Changed(c.Flags()) && f.outputsFrom != fromCluster:
		return fmt.Errorf("--context, --kubeconfig and --kubectl need --outputs-from %s", fromCluster)
	case f.parallel < 0:
		return fmt.Errorf("--parallel must not be negative: %d", f.parallel)
	}
	return nil
}

// execute runs the objects with the engine and shows the progress.
func (f *runFlags) execute(c *cobra.Command, objects []*krm.Item, options localrun.Options) (*localrun.Report, error) {
	ctx, stop := cli.Interruptible(c.Context())
	defer stop()
	stderr := c.ErrOrStderr()
	if options.Shell != nil { // no rows that are redrawn
		stderr = struct{ io.Writer }{stderr}
	}
	progress := local.NewProgress(stderr)
	defer progress.End()
	engine := engineOptions(c, f.engine, f.helperImage, &f.inputs, progress)
	engine.Network = f.network
	opened, err := local.Open(c.Context(), engine)
	if err != nil {
		return nil, err
	}
	options.Engine, options.Observe = opened, progress.Observe
	result, err := localrun.Run(ctx, objects, options)
	return result, errors.Join(err, opened.Close())
}

func (f *runFlags) print(out io.Writer, steps []local.Step) error {
	if f.output == rplug.JSON {
		return rplug.PrintJSON(out, local.Run{Steps: steps})
	}
	local.WriteOutputs(out, steps)
	return nil
}

// engineOptions returns the options for the engine that the flags select. It is for rplug run and rplug test.
func engineOptions(
	c *cobra.Command, name, helperImage string, of *rplug.Inputs, progress *local.Progress,
) local.EngineOptions {
	options := local.EngineOptions{
		Name: name, HelperImage: helperImage, Progress: progress.Note, Warn: func(message string) { warn(c, message) },
	}
	if of.Project != nil {
		options.DefaultHelperImage = of.Project.HelperImage
	}
	return options
}

func warn(c *cobra.Command, message string) { c.PrintErrf("[warning] %s\n", report.Printable(message)) }
