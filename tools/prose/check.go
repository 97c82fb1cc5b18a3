package main

import (
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/golangci/misspell"
)

// checker finds misspellings and words that are not used.
type checker struct {
	spelling *misspell.Replacer
	words    []word
}

// word is a line of words.txt.
type word struct {
	pattern *regexp.Regexp
	instead string
}

// newChecker reads a list of words: lines `PATTERN => WRITE INSTEAD`, empty lines, and comments after "#".
func newChecker(list string) (*checker, error) {
	check := &checker{spelling: misspell.New()}
	check.spelling.Compile()
	for i, line := range strings.Split(list, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pattern, instead, ok := strings.Cut(line, " => ")
		if !ok {
			return nil, fmt.Errorf("words.txt:%d: %q must be PATTERN => WRITE INSTEAD", i+1, line)
		}
		compiled, err := regexp.Compile(`(?i)\b(?:` + strings.ReplaceAll(pattern, " ", `\s+`) + `)\b`)
		if err != nil {
			return nil, fmt.Errorf("words.txt:%d: %w", i+1, err)
		}
		check.words = append(check.words, word{pattern: compiled, instead: instead})
	}
	return check, nil
}

// file returns the findings in a page or in the comments of Go code, as PATH:LINE: MESSAGE.
func (c *checker) file(path, text string) ([]string, error) {
	prose := page(text)
	if filepath.Ext(path) == ".go" {
		var err error
		if prose, err = comments(path, text); err != nil {
			return nil, err
		}
	}
	var findings []string
	add := func(offset int, format string, args ...any) {
		line := 1 + strings.Count(prose[:offset], "\n")
		findings = append(findings, fmt.Sprintf("%s:%d: ", path, line)+fmt.Sprintf(format, args...))
	}
	for _, w := range c.words {
		for _, at := range w.pattern.FindAllStringIndex(prose, -1) {
			add(at[0], "%q: write %s", strings.Join(strings.Fields(prose[at[0]:at[1]]), " "), w.instead)
		}
	}
	offset := 0
	for line := range strings.Lines(prose) {
		_, diffs := c.spelling.Replace(line)
		for _, diff := range diffs {
			add(offset, "%q is misspelt: write %q", diff.Original, diff.Corrected)
		}
		offset += len(line)
	}
	return findings, nil
}

var notProse = regexp.MustCompile("(?ms)^ *```.*?^ *```$|`[^`\n]*(?:\n[^`\n]+)?`|\\]\\([^)\\s]*\\)|https?://\\S+")

// page returns the prose of a page, in the lines that it is in: code, addresses and targets of links are blank.
func page(text string) string { return notProse.ReplaceAllStringFunc(text, blank) }

// comments returns the comments of Go code, in the lines that they are in. Indented lines and directives are blank.
func comments(path, text string) (string, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 { //nolint:errorlint // what the parser documents
		return "", list[0]
	}
	prose := []byte(blank(text))
	for _, group := range parsed.Comments {
		for _, comment := range group.List {
			if start := files.Position(comment.Pos()).Offset; !code.MatchString(comment.Text) {
				copy(prose[start:], comment.Text)
			}
		}
	}
	return page(string(prose)), nil
}

var code = regexp.MustCompile(`^//(?:\t|[a-z]+:)`)

// blank replaces all bytes but line breaks with spaces.
func blank(text string) string {
	blanks := []byte(text)
	for i, b := range blanks {
		if b != '\n' {
			blanks[i] = ' '
		}
	}
	return string(blanks)
}
