package report

import (
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// SourceLine is a line of a file. Marked is the place of a finding, empty in the lines around it.
type SourceLine struct {
	Number                int
	Before, Marked, After string
}

// Source returns the line of a result with a number of lines above and below it, or nil if the place is unknown. As in text,
// lines are shortened and printable.
func (r *Report) Source(result krm.Result, around int) (lines []SourceLine) {
	place := result.Place
	text := r.Files.Text(place.File)
	if text == nil || place.Line == 0 {
		return nil
	}
	for number := max(1, place.Line-around); number <= place.Line+around; number++ {
		content := text.Line(number)
		switch {
		case content == nil:
			return withoutBlankEnd(lines, place.Line)
		case number != place.Line || place.Column == 0:
			lines = append(lines, cutLine(number, []rune(string(content)), 0, 0))
		default:
			at := place.Column - 1
			lines = append(lines, cutLine(number, []rune(string(content)), at, at+max(1, r.width(result))))
		}
	}
	return withoutBlankEnd(lines, place.Line)
}

// withoutBlankEnd drops empty lines at the end, but not the shown one.
func withoutBlankEnd(lines []SourceLine, shown int) []SourceLine {
	for n := len(lines); n > 0 && lines[n-1].Number > shown && lines[n-1].Before == ""; n-- {
		lines = lines[:n-1]
	}
	return lines
}

// cutLine returns a line with its marked part. A long line is shortened to the surroundings of that part.
func cutLine(number int, runes []rune, from, to int) SourceLine {
	from, to = min(from, len(runes)), min(to, len(runes))
	first, last, ends := 0, len(runes), [2]string{}
	if len(runes) > longest {
		first = max(0, min(from-ahead, len(runes)-longest))
		last = first + longest
	}
	if first > 0 {
		ends[0] = "…"
	}
	if last < len(runes) {
		ends[1] = "…"
	}
	to = min(to, last)
	show := func(part []rune) string {
		var shown strings.Builder
		for _, r := range part {
			piece, _ := display(r)
			shown.WriteString(piece)
		}
		return shown.String()
	}
	line := SourceLine{number, ends[0] + show(runes[first:from]), show(runes[from:to]), show(runes[to:last]) + ends[1]}
	if line.Marked == "" {
		line.Before, line.After = line.Before+line.After, ""
	}
	return line
}
