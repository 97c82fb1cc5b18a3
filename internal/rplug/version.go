package rplug

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// versions is the output of rplug version.
type versions struct {
	Version     string `json:"version"`
	Go          string `json:"go"`
	Platform    string `json:"platform"`
	HelperImage string `json:"helperImage"`
}

// versionCommand returns the command that prints the version.
func versionCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "version", Args: Arguments(0, 0),
		Short:   "Print the version, and the helper image that is rendered by default",
		Example: "  rplug version -o json",
	}
	output := OutputFlag(command)
	command.RunE = func(c *cobra.Command, _ []string) error {
		v := versions{cli.BuildVersion(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, contract.RuntimeImage}
		if *output == JSON {
			return PrintJSON(c.OutOrStdout(), v)
		}
		_, err := fmt.Fprintf(c.OutOrStdout(), "%s %s\n%s, %s\nhelper image: %s\n",
			programName, v.Version, v.Go, v.Platform, v.HelperImage)
		return err
	}
	return command
}
