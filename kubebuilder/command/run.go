package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/host"
)

// hostFlags are the flags of rplug kubebuilder run.
type hostFlags struct {
	plugins []string
	folder  string
	root    string
	dryRun  bool
	timeout time.Duration
}

func runCommand() *cobra.Command {
	var flags hostFlags
	command := &cobra.Command{
		Use:   "run [flags] COMMAND [-- ARGUMENT...]",
		Short: "Run a chain of plugins on a project, and write all that they return or nothing",
		Long: "Run a chain of external plugins on a project, and write all that they return or nothing.\n" +
			"COMMAND is one of " + strings.Join(host.Commands, ", ") + ".\n\n" +
			"Plugins see the files of text that git does not ignore. What they do not change is not written, and\n" +
			"no path may lead out of the project. They run in a copy of it: files that a plugin writes itself are\n" +
			"taken over with those that it returns. Flags that no plugin has are refused; -- --help prints those\n" +
			"of the plugins. Plugins that are not installed, such as go/v4, are run by the kubebuilder on the\n" +
			"PATH. If the command is killed, the next one completes the changes or undoes them.\n\n" +
			"Exit code: 0 if done, 1 if a plugin fails or is refused, 2 if the call is wrong.",
		Example: "  rplug kubebuilder run --plugins sample/v1 init -- --domain example.org\n" +
			"  rplug kubebuilder run --dry-run create api -- --kind Database --version v1",
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringSliceVar(&flags.plugins, "plugins", nil, "`KEYS` of the chain, NAME/VERSION (default: the layout of PROJECT)")
	f.StringVarP(&flags.folder, "project", "p", ".", "`FOLDER` of the project")
	f.StringVar(&flags.root, "root", "", rootUsage)
	f.BoolVar(&flags.dryRun, "dry-run", false, "print the changes as a diff, and write nothing")
	f.DurationVar(&flags.timeout, "timeout", 0, "longest `DURATION` of a plugin's call (default 2m; none for go/v4 etc.)")
	rplug.Register(command, "plugins", func(c *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
		return rplug.CompleteList(installedPlugins(flags.root))(c, args, text)
	})
	rplug.Register(command, "timeout", cobra.NoFileCompletions)
	for _, folder := range []string{"project", "root"} {
		_ = command.MarkFlagDirname(folder)
	}
	command.ValidArgsFunction = completeCommand
	command.RunE = flags.run
	return command
}

func (f *hostFlags) run(c *cobra.Command, args []string) error {
	words := args
	var rest []string
	if dash := c.ArgsLenAtDash(); dash >= 0 {
		words, rest = args[:dash], args[dash:]
	}
	name := strings.Join(words, " ")
	if !slices.Contains(host.Commands, name) {
		return fmt.Errorf("COMMAND must be one of %s, not %q; arguments of plugins follow --",
			strings.Join(host.Commands, ", "), name)
	}
	if f.timeout < 0 {
		return fmt.Errorf("--timeout must be more than 0, not %s", f.timeout)
	}
	root, err := pluginsRoot(f.root)
	if err != nil {
		return err
	}
	chain := host.Host{
		Root: root, Environment: os.Environ(), Stderr: c.ErrOrStderr(), Limits: external.Limits{Time: f.timeout},
		Unseen: func(paths []string) {
			rplug.Complain(c.ErrOrStderr(), c, "warning: plugins do not see "+strings.Join(paths, ", "))
		},
	}
	if program, err := exec.LookPath("kubebuilder"); err == nil {
		chain.Kubebuilder = program
	}
	if cli.ShowsProgress(c.ErrOrStderr()) {
		chain.Progress = func(keys string) {
			fmt.Fprintf(c.ErrOrStderr(), "\r\x1b[K%s: %s %s", c.CommandPath(), name, report.Printable(keys))
		}
	}
	ctx, stop := cli.Interruptible(c.Context())
	defer stop()
	call := host.Call{Project: f.folder, Command: name, Plugins: f.plugins, Args: rest, DryRun: f.dryRun}
	if call.AsksForHelp() {
		all, err := chain.Help(ctx, call)
		if err != nil {
			return failure(ctx, c, err)
		}
		return printHelp(c.OutOrStdout(), all)
	}
	run, err := chain.Run(ctx, call)
	eraseLine(c)
	if err != nil {
		return failure(ctx, c, err)
	}
	defer run.End()
	warn(c, run)
	if !f.dryRun {
		if err := run.Commit(); err != nil {
			return rplug.Refuse(err)
		}
	}
	return f.print(c.OutOrStdout(), run)
}

// warn reports the effects of a chain beside its changes.
func warn(c *cobra.Command, run *host.Run) {
	if run.Recovered {
		rplug.Complain(c.ErrOrStderr(), c, "the changes of an interrupted command have been completed or undone")
	}
	for _, what := range slices.Concat(run.Written, run.Lost) {
		rplug.Complain(c.ErrOrStderr(), c, "warning: "+what)
	}
}

// failure returns the error with its exit code: that of a wrong call, of an interrupt or of a failed chain.
func failure(ctx context.Context, c *cobra.Command, err error) error {
	var wrong host.CallError
	var interrupted cli.Interrupted
	switch {
	case errors.As(context.Cause(ctx), &interrupted):
		rplug.Complain(c.ErrOrStderr(), c, interrupted.Error())
		return rplug.Exit(interrupted.ExitCode())
	case errors.As(err, &wrong):
		return err
	}
	return rplug.Refuse(err)
}

// print prints the changed files, or for a dry run the changes.
func (f *hostFlags) print(out io.Writer, run *host.Run) error {
	if f.dryRun {
		_, err := out.Write(atomicfile.Diff(run.Changes))
		return err
	}
	printFileChanges(out, run.Changes)
	return nil
}

// printFileChanges prints a line for each file that was changed.
func printFileChanges(out io.Writer, changes []atomicfile.Change) {
	for _, change := range changes {
		fmt.Fprintf(out, "%s  %s\n", change.Verb(), report.Printable(change.Path))
	}
	if len(changes) == 0 {
		fmt.Fprintln(out, "no file is changed")
	}
}

// completeCommand completes the command of the chain.
func completeCommand(_ *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
	var found []string
	for _, command := range host.Commands {
		words := strings.Fields(command)
		isNext := len(words) > len(args) && slices.Equal(words[:len(args)], args) && strings.HasPrefix(words[len(args)], text)
		if isNext && !slices.Contains(found, words[len(args)]) {
			found = append(found, words[len(args)])
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}
