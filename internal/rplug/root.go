package rplug

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/report"
)

// Run is Main without the process: it returns the exit code. The output of a command is written when it is done, and
// dropped if the call is wrong.
func Run(
	ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, extensions ...Extension,
) int {
	var out bytes.Buffer
	name, args := commandLine(os.Args[0], args)
	root := rootCommand(stdout, extensions...)
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
	command, err := root.ExecuteContextC(ctx)
	code := ExitClean
	var exit Exit
	var found report.FindingsError
	var refused Refusal
	var unfinished Pending
	switch {
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &found):
		_, _ = fmt.Fprintln(stderr, found)
		code = ExitFindings
	case errors.As(err, &refused):
		ComplainOfEach(stderr, command, err)
		code = ExitFindings
	case errors.As(err, &unfinished):
		Complain(stderr, command, err.Error())
		code = ExitPending
	case err != nil:
		ComplainOfEach(stderr, command, err)
		return ExitCall
	}
	if _, err := out.WriteTo(stdout); err != nil {
		Complain(stderr, command, "stdout must be writable: "+err.Error())
		return ExitCall
	}
	return code
}

// NewCommand returns the command, for tools that describe it.
func NewCommand(stdout io.Writer, extensions ...Extension) *cobra.Command {
	root := rootCommand(stdout, extensions...)
	completeRoot(root)
	return root
}

// moreHelp ends the help of a command with subcommands: the help must fit a screen.
const moreHelp = `{{if .HasAvailableSubCommands}}

Use "{{.CommandPath}} [command] --help" for more information about a command.{{end}}`

// rootCommand returns the command with its subcommands and those of extensions. The KRM functions write to stdout
// themselves.
func rootCommand(stdout io.Writer, extensions ...Extension) *cobra.Command {
	root := &cobra.Command{
		Use:   programName,
		Short: "rplug checks resource plugins, resolves their versions and renders them to Kubernetes objects",
		Long: "rplug checks resource plugins, resolves their versions and renders them to Kubernetes objects.\n\n" +
			"The functions take files and folders, or without any a ResourceList on stdin.",
		Version:       cli.BuildVersion(),
		Args:          cobra.ArbitraryArgs,
		RunE:          Unknown,
		SilenceErrors: true,
		SilenceUsage:  true,

		SuggestionsMinimumDistance: SuggestionDistance,
	}
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), moreHelp, "", 1))
	root.SetVersionTemplate("{{.DisplayName}} {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return cli.FlagError(err, c.Flags()) })
	root.SetHelpCommand(helpCommand())
	root.SetHelpFunc(helpWithTopics(root.HelpFunc()))
	features := make(renderphase.Extensions, len(extensions))
	var watch func(context.Context, cli.Watched) error
	for i, e := range extensions {
		features[i] = e.Extension
		if e.Watch != nil {
			watch = e.Watch
		}
	}
	common := features.Common()
	root.AddCommand(validateCommand(stdout, common, watch), buildCommand(stdout, features, watch), newCommand(common))
	root.AddCommand(functionCommands(stdout, features)...)
	root.AddCommand(postRenderCommand(stdout, features), catalogCommand(stdout, common, extensions))
	root.AddCommand(manCommand(), versionCommand())
	for _, e := range extensions {
		if e.Commands != nil {
			root.AddCommand(e.Commands(stdout, features)...)
		}
	}
	addGroups(root)
	return root
}

// addGroups adds the groups of the help that have a command.
func addGroups(root *cobra.Command) {
	for _, group := range []*cobra.Group{
		{ID: GroupFunctions, Title: "Functions:"}, {ID: GroupBuild, Title: "Build:"},
		{ID: GroupRun, Title: "Run and test:"}, {ID: GroupCluster, Title: "Clusters:"},
		{ID: GroupCatalogs, Title: "Catalogs and packages:"},
	} {
		if slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.GroupID == group.ID }) {
			root.AddGroup(group)
		}
	}
}

// completeRoot adds the command that prints completion scripts. It keeps where root writes to.
func completeRoot(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = cobra.ArbitraryArgs, Unknown
			c.SuggestionsMinimumDistance = SuggestionDistance
			c.Short = "Print a completion script for bash, zsh, fish or PowerShell"
		}
	}
}
