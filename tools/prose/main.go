// Command prose checks the English of pages and of comments in Go code: common misspellings, and words that the project does
// not use, which words.txt lists with their replacements. Code in pages is not checked.
//
//	prose FILE...
//
// The exit code is 1 if there are findings, and 2 if a file cannot be read.
package main

import (
	_ "embed"
	"fmt"
	"io"
	"os"
)

//go:embed words.txt
var words string

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(files []string, stdout, stderr io.Writer) int {
	check, err := newChecker(words)
	if err != nil {
		fmt.Fprintln(stderr, "prose:", err)
		return 2
	}
	code := 0
	var all []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			fmt.Fprintln(stderr, "prose:", err)
			return 2
		}
		findings, err := check.file(file, string(text))
		if err != nil {
			fmt.Fprintln(stderr, "prose:", err)
			return 2
		}
		all = append(all, findings...)
	}
	for _, finding := range append(all, check.excess()...) {
		fmt.Fprintln(stdout, finding)
		code = 1
	}
	return code
}
