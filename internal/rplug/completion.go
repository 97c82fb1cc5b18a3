package rplug

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/cli"
)

// isCompletion reports whether a shell asks for completions of an argument.
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
			Register(command, flag.Name, completePairs(f))
		case flag.Name == "cluster":
			Register(command, flag.Name, (&Inputs{Features: f.Extensions}).CompleteNames(ClusterNames))
		case flag.Argument == "REVISION":
			Register(command, flag.Name, CompleteRevisions)
		case flag.Values != nil && isList:
			Register(command, flag.Name, CompleteList(flag.Values))
		case flag.Values != nil:
			Register(command, flag.Name, CompleteOne(flag.Values...))
		case flag.Argument == "DIR":
			_ = command.MarkFlagDirname(flag.Name)
		case flag.Argument != "FILE" && flag.Argument != "PATH":
			Register(command, flag.Name, cobra.NoFileCompletions)
		}
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
			return CompleteFiles(c, args, text)
		}
		rules := map[string]string{}
		for _, rule := range f.Rules {
			rules[rule.ID] = rule.Summary
		}
		return proposals(rules, text), cobra.ShellCompDirectiveNoFileComp
	}
}
