package rplug

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/extension"
)

// buildCommand returns all functions as one command, with their flags.
func buildCommand(stdout io.Writer, features []extension.Extension) *cobra.Command {
	const short = "Check, resolve and render documents at once, to files or stdout"
	command := functionCommand("build", short, buildFunction(features...), stdout)
	command.GroupID = GroupBuild
	return command
}

// reportCommand returns the page about what build does.
func reportCommand(stdout io.Writer, features []extension.Extension) *cobra.Command {
	const short = "Write a page about documents: sandboxes, plugins, findings, objects"
	command := functionCommand("report", short, reportFunction(features...), stdout)
	command.GroupID = GroupBuild
	return command
}
