package rplug

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
)

// buildCommand returns all functions as one command, with their flags.
func buildCommand(
	stdout io.Writer, features renderphase.Extensions, watch func(context.Context, cli.Watched) error,
) *cobra.Command {
	f := BuildFunction(features...)
	f.Watch = watch
	return BuildCommand("build", "Check, resolve and render documents at once, to files or stdout", f, stdout)
}

// BuildCommand returns a command in the group of build with the arguments and flags of a function.
func BuildCommand(name, short string, f cli.Function, stdout io.Writer) *cobra.Command {
	command := functionCommand(name, short, f, stdout)
	command.GroupID = GroupBuild
	return command
}
