package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function"
)

// functionCommands returns the KRM functions as subcommands. They write to stdout themselves.
func functionCommands(stdout io.Writer) []*cobra.Command {
	graph := &cobra.Command{
		Use: "graph FORMAT PATH...", GroupID: groupFunctions, DisableFlagParsing: true,
		Short: "Draw the steps of plugins (render --graph)",
		Long: "Draw the steps of plugins: both phases, with the inputs, what flows between steps, and what is left\n" +
			"for workloads. FORMAT is mermaid, dot or svg.",
		Example: "  rplug graph svg plugins/ > plugins.svg",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && (args[0] == "-h" || args[0] == "--help") {
				return c.Help()
			}
			return execute(c, function.RenderPhase(), stdout, append([]string{"--graph"}, args...))
		},
	}
	return []*cobra.Command{
		functionCommand("validate", "Check plugins, sandboxes, route groups and packages", function.ValidatePlugin(), stdout),
		functionCommand("resolve", "Pin the versions of plugins and packages", function.ResolveVersion(), stdout),
		functionCommand("render", "Render the resources of sandboxes, and packages", function.RenderPhase(), stdout),
		functionCommand("fork", "Render the forks of sandboxes to workloads and routes", function.RenderSandbox(), stdout),
		functionCommand("import", "Convert native documents and packages to KRM documents", function.ImportPlugin(), stdout),
		graph,
	}
}

// functionCommand returns a KRM function as a subcommand. Its arguments, flags included, are the function's.
func functionCommand(name, short string, f cli.Function, stdout io.Writer) *cobra.Command {
	command := &cobra.Command{
		Use: name, Short: short, GroupID: groupFunctions, DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error { return execute(c, f, stdout, args) },
	}
	command.SetHelpFunc(func(c *cobra.Command, _ []string) { _ = execute(c, f, stdout, []string{"--help"}) })
	return command
}

func execute(c *cobra.Command, f cli.Function, stdout io.Writer, args []string) error {
	f.Command, f.ReadsProject = c.CommandPath(), true
	return functionExit(f.Run(args, c.InOrStdin(), stdout, c.ErrOrStderr()))
}
