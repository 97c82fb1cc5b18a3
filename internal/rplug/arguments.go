package rplug

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Groups of the help.
const (
	GroupFunctions = "functions"
	GroupBuild     = "build"
	GroupCatalogs  = "catalogs"
	GroupCluster   = "cluster"
	GroupRun       = "run"
)

// SuggestionDistance is the maximum number of wrong letters in a command's name for suggestions.
const SuggestionDistance = 2

// Unknown is the RunE of a command with subcommands: it shows the help, or returns an error for an unknown subcommand.
func Unknown(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		c.SetOut(c.ErrOrStderr())
		return errors.Join(c.Help(), Exit(ExitCall))
	}
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("unknown command %q: did you mean %q?", args[0], near[0])
	}
	return fmt.Errorf("unknown command %q: see --help", args[0])
}

// Arguments checks the number of arguments of a command; -1 for most means no limit.
func Arguments(least, most int) cobra.PositionalArgs {
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
