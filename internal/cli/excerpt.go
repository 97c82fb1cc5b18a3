package cli

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// longest is how many characters of a line of the source are shown, and ahead how many of them in front of the place.
const (
	longest = 120
	ahead   = 60
)

// excerpt returns the line of the source that a result is about, and a line with a caret below its place; empty where
// it is not known.
func (r *report) excerpt(result krm.Result) string {
	place := result.Place
	text := r.texts.of(place.File)
	if text == nil || place.Column == 0 {
		return ""
	}
	line := text.Line(place.Line)
	if line == nil {
		return ""
	}
	shown, marks := underline(string(line), place.Column, r.texts.size(result))
	number := strconv.Itoa(place.Line)
	margin := strings.Repeat(" ", len(number))
	return fmt.Sprintf("  %s %s\n  %s %s\n", r.look.paint(blue, number+" |"), shown,
		r.look.paint(blue, margin+" |"), r.look.paint(green, marks))
}

// size returns how many characters of its line the value of a result is written in, 1 where that is not known.
func (t *texts) size(result krm.Result) int {
	text, scalar, err := t.scalar(result)
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

// underline returns a line of a file as it may be printed, and carets below size characters from a column on. Both rows
// have the same width up to there, with the tabs of the line.
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

// display returns how a character is printed, and how many columns of a terminal that takes.
func display(r rune) (text string, columns int) {
	switch {
	case r == '\t':
		return "\t", 1
	case unprintable(r):
		text = printable(string(r))
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
