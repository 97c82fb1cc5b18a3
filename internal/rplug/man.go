package rplug

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/resource-plugins/krm-functions/internal/cli"
)

// manCommand writes the pages that packages install. It is hidden: users read pages with man.
func manCommand() *cobra.Command {
	var date string
	command := &cobra.Command{
		Use: "man FOLDER", Args: Arguments(1, 1), Hidden: true,
		Short:   "Write the man pages of all commands",
		Example: "  rplug man --date 2026-01-20 man",
		RunE: func(c *cobra.Command, args []string) error {
			day, err := time.Parse(time.DateOnly, date)
			if err != nil {
				return fmt.Errorf("--date must be a date such as 2026-01-20, not %q", date)
			}
			root := c.Root()
			root.DisableAutoGenTag = true
			parseFlags(root)
			return doc.GenManTree(root, &doc.GenManHeader{
				Section: "1", Date: &day, Source: programName + " " + cli.BuildVersion(), Manual: "User Commands",
			}, args[0])
		},
	}
	command.Flags().StringVar(&date, "date", "1970-01-01", "`DATE` of the pages")
	return command
}
