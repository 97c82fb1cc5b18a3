package subcommand

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// extensions are those of the files that the functions read, packages included.
var extensions = []string{"yaml", "yml", "json", "tar", "xpkg"}

// CompleteFiles completes paths of documents.
func CompleteFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return extensions, cobra.ShellCompDirectiveFilterFileExt
}

// Register sets how the values of a flag are completed. The only error is that there is no such flag.
func Register(command *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := command.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err)
	}
}

// CompleteOne completes one of several values.
func CompleteOne(values ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// CompleteList completes the last element of a list of values that are separated by commas.
func CompleteList(values []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, text string) ([]string, cobra.ShellCompDirective) {
		before := text[:strings.LastIndexByte(text, ',')+1]
		given := strings.Split(before, ",")
		var found []string
		for _, value := range values {
			if strings.HasPrefix(before+value, text) && !slices.Contains(given, value) {
				found = append(found, before+value)
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}
