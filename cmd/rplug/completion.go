package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/cli"
)

// isCompletion reports whether a shell asks what an argument may be.
func isCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// parseFlags makes commands parse their flags that leave this to a function: to complete a flag, it must be known.
func parseFlags(c *cobra.Command) {
	c.DisableFlagParsing = false
	for _, sub := range c.Commands() {
		parseFlags(sub)
	}
}

// extensions are those of the files that the functions read, packages included.
var extensions = []string{"yaml", "yml", "json", "tar", "xpkg"}

// completeFiles completes paths of documents.
func completeFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return extensions, cobra.ShellCompDirectiveFilterFileExt
}

// declareFlags gives a command flags of a function, which parses them itself: all, or those of the names.
func declareFlags(command *cobra.Command, f cli.Function, names ...string) {
	command.Flags().SortFlags = false
	for _, flag := range f.Flags() {
		if flag.Name == "help" || len(names) > 0 && !slices.Contains(names, flag.Name) {
			continue
		}
		command.Flags().AddFlag(flag.Flag)
		_, isList := flag.Value.(cobra.SliceValue)
		switch {
		case flag.Name == "rules":
			register(command, flag.Name, completePairs(f))
		case flag.Values != nil && isList:
			register(command, flag.Name, completeList(flag.Values))
		case flag.Values != nil:
			register(command, flag.Name, completeOne(flag.Values...))
		case flag.Argument == "DIR":
			_ = command.MarkFlagDirname(flag.Name)
		case flag.Argument != "FILE" && flag.Argument != "PATH":
			register(command, flag.Name, cobra.NoFileCompletions)
		}
	}
}

// register says how the values of a flag are completed. The only error is that there is no such flag.
func register(command *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := command.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err)
	}
}

// completeOne completes one of several values.
func completeOne(values ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// completeList completes the last element of a list of values that are separated by commas.
func completeList(values []string) cobra.CompletionFunc {
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

// completePairs completes the level of a rule: its id, and behind the equals sign the level.
func completePairs(f cli.Function) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, text string) ([]string, cobra.ShellCompDirective) {
		id, level, hasLevel := strings.Cut(text, "=")
		if hasLevel {
			var found []string
			for _, one := range []string{"off", "warning", "error"} {
				if strings.HasPrefix(one, level) {
					found = append(found, id+"="+one)
				}
			}
			return found, cobra.ShellCompDirectiveNoFileComp
		}
		rules := map[string]string{}
		for _, rule := range f.Rules {
			rules[rule.ID+"="] = rule.Summary
		}
		return proposals(rules, text), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
}

// proposals returns the names that begin with a text, sorted, with their descriptions.
func proposals(described map[string]string, text string) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(described)) {
		if strings.HasPrefix(name, text) {
			found = append(found, cobra.CompletionWithDesc(name, described[name]))
		}
	}
	return found
}

// completeArguments completes the arguments of a function: paths, or behind --explain rules.
func completeArguments(f cli.Function) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
		if !c.Flags().Changed("explain") {
			return completeFiles(c, args, text)
		}
		rules := map[string]string{}
		for _, rule := range f.Rules {
			rules[rule.ID] = rule.Summary
		}
		return proposals(rules, text), cobra.ShellCompDirectiveNoFileComp
	}
}
