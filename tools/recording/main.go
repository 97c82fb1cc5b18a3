// Command recording runs the commands of a script in a terminal and records the terminal as an animated SVG, which GitHub
// shows as a picture.
//
//	recording -script demo.txt -programs bin -output demo.svg
//
// Commands run for as long as they need, but the times in the picture depend only on the text: the same output of commands
// gives the same bytes. Text that a command erases again, such as progress, is not recorded.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "recording:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("recording", flag.ContinueOnError)
	file := flags.String("script", "", "file with the commands")
	programs := flags.String("programs", "bin", "folder that is first on the PATH")
	output := flags.String("output", "", "SVG to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	text, err := os.ReadFile(*file)
	if err != nil {
		return err
	}
	picture, err := record(string(text), *programs)
	if err != nil {
		return fmt.Errorf("%s: %w", *file, err)
	}
	return os.WriteFile(*output, picture, 0o644)
}

// record runs a script in an empty folder, which is removed afterwards, and draws it.
func record(text, programs string) ([]byte, error) {
	parsed, err := parse(text)
	if err != nil {
		return nil, err
	}
	programs, err = filepath.Abs(programs)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "recording")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	played, err := play(parsed, folder, programs)
	if err != nil {
		return nil, err
	}
	return draw(parsed.title, played), nil
}
