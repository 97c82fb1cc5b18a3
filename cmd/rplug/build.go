package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/function"
)

// buildCommand returns all functions as one command, with their flags.
func buildCommand(stdout io.Writer) *cobra.Command {
	command := functionCommand("build", "Check, resolve and render documents at once, to files or stdout", function.Build(), stdout)
	command.GroupID = groupBuild
	return command
}
