// Package docs keeps the documentation true: it runs every command of every `console` block in a copy of the checkout and
// compares what it prints with what the page says, and it follows every link.
package docs

import (
	"fmt"
	"strings"
)

// command is one command of a console block with the output that the page shows.
type command struct {
	line int
	text string
	// want are the lines shown; a line "..." stands for any lines. Nothing shown means that nothing is compared.
	want []string
	// exit is the exit code that the block says in a line such as "[exit 1]".
	exit int
}

// commands reads the console blocks of a page. A command starts with "$ " and goes on after a backslash.
func commands(page string) ([]command, error) {
	var found []command
	inside, more := false, false
	for i, line := range strings.Split(page, "\n") {
		line = strings.TrimRight(line, " ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside, more = line == "```console", false
		case strings.HasSuffix(line, "```console"):
			return nil, fmt.Errorf("line %d: a console block must not be indented, or nobody would run it", i+1)
		case !inside:
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

// matches tells whether got is what the page shows.
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
