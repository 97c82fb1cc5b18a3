package subcommand

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// The groups of the help.
const (
	GroupFunctions = "functions"
	GroupBuild     = "build"
	GroupCatalogs  = "catalogs"
	GroupPackages  = "packages"
	GroupCluster   = "cluster"
	GroupRun       = "run"
)

// SuggestionDistance is how many letters of a command's name may be wrong for it to be proposed.
const SuggestionDistance = 2

// Unknown is the RunE of a command that has subcommands: it shows the help, or refuses a name that none of them has.
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

// Arguments checks how many arguments a command has; most is -1 if there may be any number.
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
