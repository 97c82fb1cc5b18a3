package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const (
	longest = 120 // shown characters of a source line
	ahead   = 60  // of them before the place
)

// excerpt returns the source line of a result, and a line with carets below its place; empty if the place is unknown.
func (r *Report) excerpt(result krm.Result) string {
	place := result.Place
	text := r.Files.Text(place.File)
	if text == nil || place.Column == 0 {
		return ""
	}
	line := text.Line(place.Line)
	if line == nil {
		return ""
	}
	shown, marks := underline(string(line), place.Column, r.width(result))
	number := strconv.Itoa(place.Line)
	margin := strings.Repeat(" ", len(number))
	return fmt.Sprintf("  %s %s\n  %s %s\n", r.Style.paint(blue, number+" |"), shown,
		r.Style.paint(blue, margin+" |"), r.Style.paint(green, marks))
}

// width returns the number of characters of a result's value in its line, or 1 if it is unknown.
func (r *Report) width(result krm.Result) int {
	text, scalar, err := r.Files.Scalar(result)
	if err != nil {
		return 1
	}
	line, column := text.Position(scalar.Start)
	endLine, end := text.Position(scalar.End)
	if line != endLine {
		return 1
	}
	return end - column
}

// underline returns a line of a file in printable form, and carets below size characters starting at a column. Up to there,
// both have the same width, including the tabs of the line.
func underline(line string, column, size int) (shown, marks string) {
	runes := []rune(line)
	at := min(max(column-1, 0), len(runes))
	end := min(at+max(size, 1), len(runes))
	from := 0
	if len(runes) > longest {
		from = max(0, min(at-ahead, len(runes)-longest))
	}
	to := min(len(runes), from+longest)
	var text, below strings.Builder
	if from > 0 {
		text.WriteString("…")
		below.WriteString(" ")
	}
	for n := from; n < to; n++ {
		piece, columns := display(runes[n])
		text.WriteString(piece)
		switch {
		case n < at && runes[n] == '\t':
			below.WriteString("\t")
		case n < at:
			below.WriteString(strings.Repeat(" ", columns))
		case n < end:
			below.WriteString(strings.Repeat("^", columns))
		}
	}
	if to < len(runes) {
		text.WriteString("…")
	}
	if !strings.Contains(below.String(), "^") {
		below.WriteString("^")
	}
	return text.String(), below.String()
}

// display returns the printable form of a character, and its width in terminal columns.
func display(r rune) (text string, columns int) {
	switch {
	case r == '\t':
		return "\t", 1
	case !unicode.IsPrint(r):
		text = Printable(string(r))
		return text, len(text)
	case unicode.In(r, unicode.Mn, unicode.Me):
		return string(r), 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return string(r), 2
	default:
		return string(r), 1
	}
}
