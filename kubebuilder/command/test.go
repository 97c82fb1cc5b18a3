package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/shell"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/harness"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// harnessFlags are the flags of rplug kubebuilder test.
type harnessFlags struct {
	args      []string
	exchanges string
	record    string
	root      string
	files     int
	answer    time.Duration
	timeout   time.Duration
	output    string
	explain   bool
	stdout    io.Writer
}

func testCommand(stdout io.Writer) *cobra.Command {
	flags := harnessFlags{stdout: stdout}
	command := &cobra.Command{
		Use:   "test [flags] PLUGIN...",
		Short: "Test external plugins against the protocol as kubebuilder speaks it",
		Long: "Test external plugins against the protocol as kubebuilder speaks it. PLUGIN is NAME/VERSION of an\n" +
			"installed plugin, the path of a program, or a discovery folder, of which all plugins are tested.\n" +
			"A plugin is called in an empty folder, and what it returns is written nowhere. Each two of several\n" +
			"plugins are also tested in one chain, in both orders.\n\n" +
			"Exchanges are recorded requests with the responses that are expected: NAME.request.json and\n" +
			"NAME.response.json in one folder. They are replayed first. --record writes what the plugin answers,\n" +
			"to the requests of the folder, or, without a folder, to those of kubebuilder.\n\n" +
			"Exit code: 0 if everything has passed, 1 if a check has failed, 2 if the call is wrong.",
		Example: "  rplug kubebuilder test sample/v1 --args 'create api=--group demo --version v1 --kind Demo'\n" +
			"  rplug kubebuilder test bin/sample --record testdata/exchanges\n" +
			"  rplug kubebuilder test bin/sample --exchanges testdata/exchanges -o junit",
		ValidArgsFunction: flags.completePlugins,
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringArrayVar(&flags.args, "args", nil, "`COMMAND=ARGUMENTS` with which it succeeds, quoted as in a shell")
	f.StringVar(&flags.exchanges, "exchanges", "", "`FOLDER` with exchanges to replay")
	f.StringVar(&flags.record, "record", "", "`FOLDER` to write exchanges to, and check nothing")
	f.StringVar(&flags.root, "root", "", rootUsage)
	f.IntVar(&flags.files, "files", harness.DefaultFiles, "`N` files in a large project")
	f.DurationVar(&flags.answer, "answer", harness.DefaultAnswer, "`DURATION` that flags and metadata may take")
	f.DurationVar(&flags.timeout, "timeout", harness.DefaultTime, "`DURATION` that any other answer may take")
	f.StringVarP(&flags.output, "output", "o", report.Text, "`FORMAT`: "+strings.Join(harness.Formats(), ", "))
	f.BoolVar(&flags.explain, "explain", false, "list the checks, with the reasons")
	for _, folder := range []string{"exchanges", "record", "root"} {
		_ = command.MarkFlagDirname(folder)
	}
	rplug.Register(command, "output", rplug.CompleteOne(harness.Formats()...))
	rplug.Register(command, "args", completeCommands)
	for _, flag := range []string{"files", "answer", "timeout"} {
		rplug.Register(command, flag, cobra.NoFileCompletions)
	}
	command.RunE = flags.run
	return command
}

// completeCommands completes the command of --args.
func completeCommands(_ *cobra.Command, _ []string, text string) ([]string, cobra.ShellCompDirective) {
	var found []string
	for _, command := range harness.Commands() {
		if strings.HasPrefix(command+"=", text) {
			found = append(found, command+"=")
		}
	}
	return found, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// completePlugins completes installed plugins, and paths.
func (f *harnessFlags) completePlugins(_ *cobra.Command, _ []string, text string) ([]string, cobra.ShellCompDirective) {
	var found []string
	for _, key := range installedPlugins(f.root) {
		if strings.HasPrefix(key, text) {
			found = append(found, key)
		}
	}
	return found, cobra.ShellCompDirectiveDefault
}

func (f *harnessFlags) run(c *cobra.Command, args []string) error {
	if f.explain {
		return explainChecks(c.OutOrStdout())
	}
	h, err := f.harness()
	if err != nil {
		return err
	}
	plugins, err := f.plugins(args)
	if err != nil {
		return err
	}
	ctx, stop := cli.Interruptible(c.Context())
	defer stop()
	if f.record != "" {
		err = f.recordExchanges(ctx, c, h, plugins)
	} else {
		err = f.check(ctx, c, h, plugins)
	}
	var interrupted cli.Interrupted
	if errors.As(err, &interrupted) {
		rplug.Complain(c.ErrOrStderr(), c, interrupted.Error())
		return rplug.Exit(interrupted.ExitCode())
	}
	return err
}

// harness validates the flags.
func (f *harnessFlags) harness() (harness.Harness, error) {
	h := harness.Harness{Files: f.files, Answer: f.answer, Time: f.timeout, Args: map[string][]string{}}
	switch {
	case !slices.Contains(harness.Formats(), f.output):
		return h, fmt.Errorf("--output must be one of %s, not %q", strings.Join(harness.Formats(), ", "), f.output)
	case f.files < 1:
		return h, fmt.Errorf("--files must be at least 1, not %d", f.files)
	case f.answer <= 0:
		return h, fmt.Errorf("--answer must be more than 0, not %s", f.answer)
	case f.timeout <= 0:
		return h, fmt.Errorf("--timeout must be more than 0, not %s", f.timeout)
	case f.exchanges != "" && f.record != "":
		return h, errors.New("--exchanges and --record exclude each other: --record reads its folder, too")
	}
	for _, arg := range f.args {
		command, text, _ := strings.Cut(arg, "=")
		if !slices.Contains(harness.Commands(), command) {
			return h, fmt.Errorf("--args must be COMMAND=ARGUMENTS with a command of %s, not %q",
				strings.Join(harness.Commands(), ", "), arg)
		}
		words, err := shell.Fields(text, func(string) string { return "" })
		if err != nil {
			return h, fmt.Errorf("--args %q must be words as in a shell: %w", arg, err)
		}
		h.Args[command] = words
	}
	return h, f.readExchanges(&h)
}

// readExchanges reads the folder of exchanges. A folder to record to may not exist yet.
func (f *harnessFlags) readExchanges(h *harness.Harness) error {
	folder := f.exchanges + f.record
	if folder == "" {
		return nil
	}
	if _, err := os.Stat(folder); f.record != "" && errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var err error
	if h.Exchanges, err = harness.ReadExchanges(folder); err != nil {
		return fmt.Errorf("the exchanges must be readable: %w", err)
	}
	if f.exchanges != "" && len(h.Exchanges) == 0 {
		return fmt.Errorf("%q must hold exchanges, NAME%s and NAME%s: --record writes them", folder,
			v1alpha1.RequestFile, v1alpha1.ResponseFile)
	}
	return nil
}

// explainChecks lists the checks.
func explainChecks(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, check := range harness.Explained() {
		fmt.Fprintf(table, "%s\t%s:\n\t%s\n", check.ID, check.Demand, check.Why)
	}
	return table.Flush()
}
