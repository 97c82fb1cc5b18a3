// Package runnerlog reads logs as the runner of GitHub Actions does, which executes workflow commands in them. Tests
// use it to show that the output of a program has no commands.
package runnerlog

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// commandNames are the commands that the runner registers
// (https://github.com/actions/runner/blob/main/src/Runner.Worker/ActionCommandManager.cs).
var commandNames = strings.Fields("internal-set-repo-path set-env set-output save-state add-path add-mask add-matcher " +
	"remove-matcher warning error notice debug group endgroup echo stop-commands")

// Command returns the workflow command of a line, empty if it has none. It is a port of the runner's parser
// (https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs), TryParseV2 and then TryParse.
func Command(line string) string {
	name := func(info string) string {
		info, _, _ = strings.Cut(info, " ")
		if slices.ContainsFunc(commandNames, func(one string) bool { return strings.EqualFold(one, info) }) {
			return info
		}
		return ""
	}
	if rest, found := strings.CutPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::"); found {
		if info, _, ends := strings.Cut(rest, "::"); ends && name(info) != "" {
			return name(info)
		}
	}
	if _, rest, found := strings.Cut(line, "##["); found {
		if info, _, ends := strings.Cut(rest, "]"); ends {
			return name(info)
		}
	}
	return ""
}

// Lines splits a log as the runner does: at line feeds and carriage returns.
func Lines(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
}

// Hostile returns texts that would be commands in a log.
func Hostile() (all []string) {
	for _, name := range commandNames {
		for _, form := range []string{
			"::%s::x", "  ::%s ::x", "::%s file=a,line=1::x", "##[%s]x", "a ##[%s a=b;]x", "\u00a0::%s::x", "\t::%s::x",
			"x\n::%s::x", "x\r::%s::x", "x\u0085::%s::x", "####[%s]", "#\u200b##[%s]", "\u2028::%s::x", "::%[1]s::a ##[%[1]s]x",
		} {
			all = append(all, fmt.Sprintf(form, name))
		}
	}
	return all
}
