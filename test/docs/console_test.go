// Package docs tests the documentation: it runs the commands of all `console` blocks in a copy of the checkout, compares
// their output with the page, and checks all relative links.
package docs

import (
	"fmt"
	"strings"
)

// command is one command of a console block with the expected output.
type command struct {
	line int
	text string
	// want has the lines of the output. "..." stands for any lines. If it is empty, the output is not compared.
	want []string
	// exit is the exit code of a line such as "[exit 1]", or 0.
	exit int
}

// commands reads the console blocks of a page. A command starts with "$ " and continues after a backslash.
func commands(page string) ([]command, error) {
	var found []command
	inBlock, more := false, false
	for i, line := range strings.Split(page, "\n") {
		line = strings.TrimRight(line, " ")
		switch {
		case strings.HasPrefix(line, "```"):
			inBlock, more = line == "```console", false
		case strings.HasSuffix(line, "```console"):
			return nil, fmt.Errorf("line %d: a console block must not be indented", i+1)
		case !inBlock:
		case more:
			last := &found[len(found)-1]
			last.text += "\n" + line
			more = strings.HasSuffix(line, `\`)
		case strings.HasPrefix(line, "$ "):
			found = append(found, command{line: i + 1, text: line[2:]})
			more = strings.HasSuffix(line, `\`)
		case len(found) == 0:
			return nil, fmt.Errorf("line %d: a console block must start with a command", i+1)
		default:
			last := &found[len(found)-1]
			if n, err := fmt.Sscanf(line, "[exit %d]", &last.exit); n == 1 && err == nil {
				continue
			}
			last.want = append(last.want, line)
		}
	}
	return found, nil
}

// matches reports whether got is the expected output.
func matches(want, got []string) bool {
	for i, line := range want {
		if line == "..." {
			rest := want[i+1:]
			for skip := 0; skip <= len(got)-i; skip++ {
				if matches(rest, got[i+skip:]) {
					return true
				}
			}
			return false
		}
		if i >= len(got) || got[i] != line {
			return false
		}
	}
	return len(got) == len(want)
}
