package rplug

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// extensions are the extensions of files that functions read, including packages.
var extensions = []string{"yaml", "yml", "json", "tar", "xpkg"}

// CompleteFiles completes paths of documents.
func CompleteFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return extensions, cobra.ShellCompDirectiveFilterFileExt
}

// Register sets the completion of a flag's values. The flag must exist.
func Register(command *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := command.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err)
	}
}

// CompleteOne completes a value.
func CompleteOne(values ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// CompleteList completes the last element of a comma-separated list of values.
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
