package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/report"
)

// The exit codes.
const (
	exitClean    = 0
	exitFindings = 1 // a document, a reference or a change is refused
	exitCall     = 2 // the call itself is wrong
	exitPending  = 3 // of rplug status: steps are in progress
)

// pending is an error about what is not done yet.
type pending struct{ error }

// refusal is an error about what documents say, not about the call.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

func refuse(err error) error { return refusal{err} }

// functionExit is the exit code of a KRM function that wrote its output itself.
type functionExit int

func (functionExit) Error() string { return "" }

// run is the program without the process: it returns the exit code. What a command prints is written when it is done, and
// dropped if the call is wrong.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var out bytes.Buffer
	name, args := commandLine(os.Args[0], args)
	root := rootCommand(stdout)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(&out)
	root.SetErr(stderr)
	completeRoot(root)
	if name != programName {
		rename(root, name)
	}
	if isCompletion(args) {
		parseFlags(root)
	}
	command, err := root.ExecuteC()
	code := exitClean
	var exit functionExit
	var found report.FindingsError
	var refused refusal
	var unfinished pending
	switch {
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &found):
		_, _ = fmt.Fprintln(stderr, found)
		code = exitFindings
	case errors.As(err, &refused):
		complainOfEach(stderr, command, err)
		code = exitFindings
	case errors.As(err, &unfinished):
		complain(stderr, command, err.Error())
		code = exitPending
	case err != nil:
		complainOfEach(stderr, command, err)
		return exitCall
	}
	if _, err := out.WriteTo(stdout); err != nil {
		complain(stderr, command, "stdout must be writable: "+err.Error())
		return exitCall
	}
	return code
}

func complain(stderr io.Writer, command *cobra.Command, message string) {
	_, _ = fmt.Fprintf(stderr, "%s: %s\n", command.CommandPath(), report.Printable(message))
}

// complainOfEach prints each line of an error that consists of several.
func complainOfEach(stderr io.Writer, command *cobra.Command, err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		complain(stderr, command, line)
	}
}

// The groups of the help.
const (
	groupFunctions = "functions"
	groupBuild     = "build"
	groupCatalogs  = "catalogs"
	groupPackages  = "packages"
	groupCluster   = "cluster"
	groupRun       = "run"
)

// suggestionDistance is how many letters of a command's name may be wrong for it to be proposed.
const suggestionDistance = 2

const exitCodes = "Exit code: 0 if done, 1 if a document, a reference or a change is refused, 2 if the call is wrong."

// rootCommand returns the command with its subcommands. The KRM functions write to stdout themselves.
func rootCommand(stdout io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   programName,
		Short: "rplug checks resource plugins, resolves their versions and renders them to Kubernetes objects",
		Long: "rplug checks resource plugins, resolves their versions and renders them to Kubernetes objects.\n\n" +
			"The functions take files and folders, or without any a ResourceList on stdin.\n" + exitCodes,
		Version:       cli.BuildVersion(),
		Args:          cobra.ArbitraryArgs,
		RunE:          unknownCommand,
		SilenceErrors: true,
		SilenceUsage:  true,

		SuggestionsMinimumDistance: suggestionDistance,
	}
	root.SetVersionTemplate("{{.DisplayName}} {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return cli.FlagError(err, c.Flags()) })
	root.AddGroup(&cobra.Group{ID: groupFunctions, Title: "Functions:"},
		&cobra.Group{ID: groupBuild, Title: "Build:"}, &cobra.Group{ID: groupRun, Title: "Run and test:"},
		&cobra.Group{ID: groupCluster, Title: "Clusters:"}, &cobra.Group{ID: groupCatalogs, Title: "Catalogs:"},
		&cobra.Group{ID: groupPackages, Title: "Packages:"})
	root.SetHelpCommand(helpCommand())
	root.SetHelpFunc(helpWithTopics(root.HelpFunc()))
	root.AddCommand(functionCommands(stdout)...)
	root.AddCommand(buildCommand(stdout), diffCommand(), reportCommand(stdout), newCommand(), postRenderCommand(stdout))
	root.AddCommand(catalogCommand(stdout), unpackCommand(), kubebuilderCommand(stdout), manCommand())
	root.AddCommand(statusCommand(stdout), runCommand(), testCommand(stdout))
	return root
}

// completeRoot adds the command that prints completion scripts. It keeps where root writes to.
func completeRoot(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = cobra.ArbitraryArgs, unknownCommand
			c.SuggestionsMinimumDistance = suggestionDistance
			c.Short = "Print a completion script for bash, zsh, fish or PowerShell"
		}
	}
}

// unknownCommand is the work of a command that has subcommands: it shows the help, or refuses a name that is none of
// theirs.
func unknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		c.SetOut(c.ErrOrStderr())
		return errors.Join(c.Help(), functionExit(exitCall))
	}
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("unknown command %q: did you mean %q?", args[0], near[0])
	}
	return fmt.Errorf("unknown command %q: see --help", args[0])
}

// arguments checks how many arguments a command has; most is -1 if there may be any number.
func arguments(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if n := len(args); n < least || most >= 0 && n > most {
			_, usage, hasUsage := strings.Cut(c.Use, " ")
			if !hasUsage {
				return fmt.Errorf("there must be no arguments, not %q: see --help", args[0])
			}
			return fmt.Errorf("arguments must be %s: see --help", usage)
		}
		return nil
	}
}
