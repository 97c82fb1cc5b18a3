package rplug

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/function/importplugin"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/function/rendersandbox"
	"github.com/resource-plugins/krm-functions/internal/function/resolveversion"
	"github.com/resource-plugins/krm-functions/internal/function/validateplugin"
)

func validateCommand(
	stdout io.Writer, features []extension.Extension, watch func(context.Context, cli.Watched) error,
) *cobra.Command {
	f := validateplugin.New(features...)
	f.Watch = watch
	return functionCommand("validate", "Check plugins, sandboxes, route groups and packages", f, stdout)
}

// functionCommands returns the other KRM functions as subcommands. They write to stdout themselves.
func functionCommands(stdout io.Writer, features renderphase.Extensions) []*cobra.Command {
	common := features.Common()
	return []*cobra.Command{
		functionCommand("resolve", "Pin the versions of plugins and packages", resolveversion.New(common...), stdout),
		functionCommand("render", "Render the resources of sandboxes, and packages", renderphase.New(features...), stdout),
		functionCommand("fork", "Render the forks of sandboxes to workloads and routes", rendersandbox.New(common...), stdout),
		functionCommand("import", "Convert native documents and packages to KRM documents", importplugin.New(common...), stdout),
		graphCommand(stdout, features),
	}
}

// functionCommand returns a KRM function as a  Its arguments, flags included, are the function's.
func functionCommand(name, short string, f cli.Function, stdout io.Writer) *cobra.Command {
	f.ReadsProject = true
	command := &cobra.Command{
		Use: name, Short: short, GroupID: GroupFunctions, DisableFlagParsing: true,
		ValidArgsFunction: completeArguments(f),
		RunE:              func(c *cobra.Command, args []string) error { return execute(c, f, stdout, args) },
	}
	declareFlags(command, f)
	command.SetHelpFunc(func(c *cobra.Command, _ []string) { _ = execute(c, f, stdout, []string{"--help"}) })
	return command
}

func execute(c *cobra.Command, f cli.Function, stdout io.Writer, args []string) error {
	f.Command = c.CommandPath()
	return Exit(f.Run(c.Context(), args, c.InOrStdin(), stdout, c.ErrOrStderr()))
}

// graphCommand returns render --graph as a separate command.
func graphCommand(stdout io.Writer, features renderphase.Extensions) *cobra.Command {
	f, formats := renderphase.New(features...), renderphase.GraphFormats()
	f.ReadsProject = true
	command := &cobra.Command{
		Use: "graph FORMAT PATH...", GroupID: GroupFunctions, DisableFlagParsing: true,
		Short: "Draw the steps of plugins (render --graph)",
		Long: "Draw the steps of plugins: both phases, with the inputs, what flows between steps, and what is left\n" +
			"for workloads. FORMAT is one of " + strings.Join(formats, ", ") + ".",
		Example: "  rplug graph svg plugins/ > plugins.svg",
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case slices.Contains(args, "-h") || slices.Contains(args, "--help"):
				return c.Help()
			case len(args) == 0 || len(args) == 1 && slices.Contains(formats, args[0]):
				return errors.New("arguments must be FORMAT PATH...: see --help")
			case !slices.Contains(formats, args[0]):
				return fmt.Errorf("the first argument, FORMAT, must be one of %q, not %q", formats, args[0])
			}
			return execute(c, f, stdout, append([]string{"--graph"}, args...))
		},
		ValidArgsFunction: func(c *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return CompleteFiles(c, args, text)
			}
			return CompleteOne(formats...)(c, args, text)
		},
	}
	declareFlags(command, f, cli.DrawingFlags()...)
	return command
}
