package main

import (
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/golangci/misspell"
)

// checker finds misspellings and words that are not used.
type checker struct {
	spelling *misspell.Replacer
	words    []*word
}

// word is a line of words.txt.
type word struct {
	pattern *regexp.Regexp
	instead string
	limit   int      // of findings in all files
	found   []string // if there is a limit
}

var limited = regexp.MustCompile(`^(.*) \[at most (\d+)\]$`)

// newChecker reads a list of words: lines `PATTERN => WRITE INSTEAD`, which may end in `[at most N]`, empty lines, and
// comments after "#".
func newChecker(list string) (*checker, error) {
	check := &checker{spelling: misspell.New()}
	check.spelling.Compile()
	for i, line := range strings.Split(list, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pattern, instead, ok := strings.Cut(line, " => ")
		if !ok {
			return nil, fmt.Errorf("words.txt:%d: %q must be PATTERN => WRITE INSTEAD", i+1, line)
		}
		compiled, err := regexp.Compile(`(?i)\b(?:` + strings.ReplaceAll(pattern, " ", `\s+(?://\s*)?`) + `)\b`)
		if err != nil {
			return nil, fmt.Errorf("words.txt:%d: %w", i+1, err)
		}
		w := &word{pattern: compiled, instead: instead}
		if match := limited.FindStringSubmatch(instead); match != nil {
			w.instead = match[1]
			w.limit, _ = strconv.Atoi(match[2])
		}
		check.words = append(check.words, w)
	}
	return check, nil
}

// excess returns the findings of words that were found more often than their limits.
func (c *checker) excess() (findings []string) {
	for _, w := range c.words {
		if len(w.found) > w.limit {
			findings = append(findings, w.found...)
			findings = append(findings, fmt.Sprintf("at most %d of these must remain, not %d", w.limit, len(w.found)))
		}
	}
	return findings
}

// file returns the findings in a page or in the comments of Go code, as PATH:LINE: MESSAGE. Those of words with a limit
// are left to excess.
func (c *checker) file(name, text string) ([]string, error) {
	prose := page(text)
	if filepath.Ext(name) == ".go" {
		var err error
		if prose, err = comments(name, text); err != nil {
			return nil, err
		}
	}
	var findings []string
	finding := func(offset int, format string, args ...any) string {
		line := 1 + strings.Count(prose[:offset], "\n")
		return fmt.Sprintf("%s:%d: ", name, line) + fmt.Sprintf(format, args...)
	}
	for _, w := range c.words {
		for _, match := range w.pattern.FindAllStringIndex(prose, -1) {
			text := strings.Join(strings.Fields(strings.ReplaceAll(prose[match[0]:match[1]], "//", "")), " ")
			if found := finding(match[0], "%q: write %s", text, w.instead); w.limit > 0 {
				w.found = append(w.found, found)
			} else {
				findings = append(findings, found)
			}
		}
	}
	offset := 0
	for line := range strings.Lines(prose) {
		_, diffs := c.spelling.Replace(line)
		for _, diff := range diffs {
			findings = append(findings, finding(offset, "%q is misspelt: write %q", diff.Original, diff.Corrected))
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
