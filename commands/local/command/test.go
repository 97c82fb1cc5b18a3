package command

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/commands/local"
	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/commands/local/plugintest"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// testFlags are the flags of rplug test.
type testFlags struct {
	run         string
	engine      string
	helperImage string
	parallel    int
	update      bool
	keep        bool
	seed        uint64
	output      string
	inputs      rplug.Inputs
	chain       build.Chain
	stdout      io.Writer
}

func testCommand(stdout io.Writer, features renderphase.Extensions) *cobra.Command {
	flags := testFlags{
		stdout: stdout, inputs: rplug.Inputs{Features: features.Common(), ReadsCatalogs: true}, chain: build.New(features...),
	}
	command := &cobra.Command{
		Use: "test [PATH...]", GroupID: rplug.GroupRun, Args: cobra.ArbitraryArgs,
		Short: "Test plugins here, without a cluster",
		Long: "Run the PluginTest documents below the paths (default: the working directory). A test has fixtures,\n" +
			"such as a database server, and cases: params, and what each phase must do. These checks are made,\n" +
			"too, unless the test skips them:\n\n" +
			"  inputs-read               scripts read their inputs\n" +
			"  outputs-read              each output is read by a step, a sandbox or an expectation\n" +
			"  inputs-declared           scripts read no variable that nothing declares or sets\n" +
			"  create-twice              a second create phase succeeds with the same outputs\n" +
			"  delete-twice              a second delete phase succeeds\n" +
			"  nothing-left              no outputs are left after the delete phase, nor new state of fixtures\n" +
			"  processes-end             no process of a script runs behind it\n" +
			"  any-order                 independent steps run in other orders, delayed at random\n" +
			"  create-after-kill         the create phase succeeds after each of its steps was killed\n" +
			"  delete-after-half-create  so does the delete phase\n\n" +
			"Values of outputs are printed only where an expectation is not met, and not more than 120 bytes.\n\n" +
			"Exit code: 0 if everything has passed, 1 if a check has failed or a document is refused, 2 if the\n" +
			"call is wrong.",
		Example: "  rplug test plugins/ --engine process\n  rplug test plugins/ --run '^hello-db/' --update",
	}
	flags.declare(command.Flags())
	command.RunE, command.ValidArgsFunction = flags.test, rplug.CompleteFiles
	rplug.Register(command, "engine", rplug.CompleteOne(local.Engines()...))
	rplug.Register(command, "output", rplug.CompleteOne(plugintest.Formats()...))
	rplug.Register(command, "run", cobra.NoFileCompletions)
	return flags.inputs.ReadProject(command)
}

func (f *testFlags) declare(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&f.run, "run", "", "`REGEX` of cases, as TEST/CASE, and of checks of a plugin, as TEST")
	flags.StringVar(&f.engine, "engine", "", "`ENGINE`: docker, podman or process (default: docker, then podman)")
	flags.StringVar(&f.helperImage, "helper-image", "", "`IMAGE` with the runner of steps, as of rplug run")
	flags.IntVar(&f.parallel, "parallel", 1, "run `N` cases at once")
	flags.BoolVar(&f.update, "update", false, "write the values of outputs into expectations (equals) that differ")
	flags.BoolVar(&f.keep, "keep", false, "keep containers and folders of failed steps, and print where they are")
	flags.Uint64Var(&f.seed, "seed", 0, "`N` that random delays depend on (default: another one each time)")
	flags.StringVarP(&f.output, "output", "o", report.Text, "`FORMAT`: "+strings.Join(plugintest.Formats(), ", "))
}

func (f *testFlags) test(c *cobra.Command, args []string) error {
	progress := local.NewProgress(c.ErrOrStderr())
	result, read, err := f.runTests(c, args, progress)
	progress.End()
	var interrupted cli.Interrupted
	switch {
	case errors.As(err, &interrupted):
		rplug.Complain(c.ErrOrStderr(), c, err.Error())
		return rplug.Exit(interrupted.ExitCode())
	case err != nil:
		return err
	}
	return f.finish(c, result, read)
}

// runTests reads the documents and runs their tests.
func (f *testFlags) runTests(
	c *cobra.Command, args []string, progress *local.Progress,
) (*plugintest.Report, *load.Package, error) {
	options, err := f.options()
	if err != nil {
		return nil, nil, err
	}
	options.Observe = progress.ObserveRows
	reading, err := f.inputs.Options(c.InOrStdin())
	if err != nil {
		return nil, nil, err
	}
	read, err := load.Read(f.inputs.PathsFrom(args, 0), reading)
	if err != nil {
		return nil, nil, err
	}
	if err := report.Refused(read.Results()); err != nil {
		return nil, nil, err
	}
	list := krm.NewList()
	for _, document := range read.Documents {
		list.Append(document.Item)
	}
	suite, err := plugintest.New(list, options)
	if err != nil {
		return nil, nil, err
	}
	if suite == nil {
		return nil, nil, report.Refused(list.Results())
	}
	ctx, stop := cli.Interruptible(c.Context())
	defer stop()
	machine, err := local.Machine(c.Context(), engineOptions(c, f.engine, f.helperImage, &f.inputs, progress), f.parallel)
	if err != nil {
		return nil, nil, err
	}
	result, err := suite.Run(ctx, machine)
	return result, read, err
}

// finish prints the report and updates the documents.
func (f *testFlags) finish(c *cobra.Command, result *plugintest.Report, read *load.Package) error {
	style := report.StyleFor(cli.IsTerminal(f.stdout), false, os.Getenv)
	if err := result.Write(c.OutOrStdout(), f.output, style); err != nil {
		return err
	}
	if f.update {
		lines, err := result.Update(c.Context(), read.Text)
		for _, line := range lines {
			c.PrintErrln(report.Printable(line))
		}
		if err != nil {
			return err
		}
	}
	if result.Failed > 0 {
		return rplug.Refuse(errors.New("a check has failed"))
	}
	return nil
}

// options returns the options, or an error about a flag.
func (f *testFlags) options() (plugintest.Options, error) {
	options := plugintest.Options{Chain: f.chain, Seed: f.seed}
	if f.seed == 0 {
		options.Seed = uint64(rand.Uint32()) + 1 //nolint:gosec // not for secrets
	}
	if f.keep {
		options.Keep = filepath.FromSlash(localrun.KeptFolder)
	}
	if f.parallel < 1 {
		return options, fmt.Errorf("--parallel must be at least 1, not %d", f.parallel)
	}
	if !slices.Contains(plugintest.Formats(), f.output) {
		return options, fmt.Errorf("--output must be one of %s, not %q", strings.Join(plugintest.Formats(), ", "), f.output)
	}
	if f.run != "" {
		pattern, err := regexp.Compile(f.run)
		if err != nil {
			return options, fmt.Errorf("--run must be a regular expression: %w", err)
		}
		options.Select = pattern
	}
	return options, nil
}
