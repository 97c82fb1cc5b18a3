package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// script is a parsed script.
type script struct {
	title      string
	cols, rows int
	actions    []action
}

// action is a line of a script.
type action struct {
	line int
	kind kind
	text string
	// exit is the expected exit code of the command.
	exit int
	// length is the time until the next action.
	length time.Duration
}

type kind int

const (
	shown    kind = iota // a command that is typed and run
	hidden               // a command that is run unseen
	clearing             // an empty screen
	pause
)

// parse reads a script. Its lines are:
//
//	title TEXT      the text alternative of the picture
//	size COLSxROWS  the size of the terminal
//	$ COMMAND       types COMMAND and runs it with bash; its exit code must be 0
//	[exit N]        expects another exit code of the command before
//	hidden COMMAND  runs COMMAND without showing it or its output
//	clear           clears the screen
//	pause DURATION  keeps the screen, as in "pause 1.5s"
//
// Empty lines and lines that start with "//" are skipped.
func parse(text string) (script, error) {
	s := script{cols: 100, rows: 24}
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		if err := s.read(i+1, line); err != nil {
			return script{}, fmt.Errorf("line %d: %q: %w", i+1, line, err)
		}
	}
	if s.title == "" {
		return script{}, errors.New("title is missing")
	}
	return s, nil
}

func (s *script) read(number int, line string) (err error) {
	word, rest, _ := strings.Cut(line, " ")
	next := action{line: number, text: rest}
	switch word {
	case "title":
		s.title = rest
		return nil
	case "size":
		if n, err := fmt.Sscanf(rest, "%dx%d", &s.cols, &s.rows); n != 2 || err != nil || s.cols < 1 || s.rows < 1 {
			return errors.New("must be COLSxROWS")
		}
		return nil
	case "[exit":
		if len(s.actions) == 0 || s.actions[len(s.actions)-1].kind != shown {
			return errors.New("must follow a command")
		}
		s.actions[len(s.actions)-1].exit, err = strconv.Atoi(strings.TrimSuffix(rest, "]"))
		return err
	case "$":
		next.kind = shown
	case "hidden":
		next.kind = hidden
	case "clear":
		next.kind = clearing
	case "pause":
		next.kind = pause
		next.length, err = time.ParseDuration(rest)
	default:
		return errors.New(`must start with "title", "size", "$", "[exit", "hidden", "clear" or "pause"`)
	}
	s.actions = append(s.actions, next)
	return err
}
