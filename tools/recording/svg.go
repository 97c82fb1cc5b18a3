package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hinshun/vt10x"
)

// Sizes in pixels. All characters have the width cellWidth, whatever font the viewer has, because of textLength.
const (
	fontSize   = 14
	cellWidth  = 8.4
	lineHeight = 19
	margin     = 16
)

// textRun is text with one style that is visible for an interval.
type textRun struct {
	x, y  int
	text  string
	style string
	interval
}

// interval is a time interval.
type interval struct{ from, to time.Duration }

// draw draws a recording. In viewers without animations, or if they are switched off, it shows the last screen.
func draw(title string, r recording) []byte {
	runs := textRuns(r)
	intervals := map[interval]string{}
	var order []interval
	for _, run := range runs {
		if _, known := intervals[run.interval]; !known && run.interval != (interval{0, r.length}) {
			intervals[run.interval] = fmt.Sprintf("i%d", len(intervals))
			order = append(order, run.interval)
		}
	}
	width := fmt.Sprintf("%.0f", float64(r.cols)*cellWidth+2*margin)
	height := strconv.Itoa(r.rows*lineHeight + 2*margin)
	var out bytes.Buffer
	out.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" role="img"`)
	fmt.Fprintf(&out, ` viewBox="0 0 %s %s" width="%s" height="%s">`+"\n", width, height, width, height)
	fmt.Fprintf(&out, "<title>%s</title>\n", html.EscapeString(title))
	out.WriteString("<style>\n" + css)
	for _, i := range order {
		if i.to < r.length {
			fmt.Fprintf(&out, ".%s{visibility:hidden}\n", intervals[i])
		}
	}
	out.WriteString("@media (prefers-reduced-motion: no-preference){\n")
	fmt.Fprintf(&out, "text{animation-duration:%s;animation-iteration-count:infinite;animation-timing-function:step-end}\n",
		seconds(r.length))
	for _, i := range order {
		fmt.Fprintf(&out, ".%s{animation-name:%s}@keyframes %s{%s}\n",
			intervals[i], intervals[i], intervals[i], keyframes(i, r.length))
	}
	out.WriteString("}\n</style>\n")
	fmt.Fprintf(&out, `<rect class="bg" width="%s" height="%s" rx="8"/>`+"\n", width, height)
	for _, run := range runs {
		classes := strings.TrimSpace(run.style + " " + intervals[run.interval])
		fmt.Fprintf(&out, `<text x="%s" y="%d"%s textLength="%s" lengthAdjust="spacingAndGlyphs">%s</text>`+"\n",
			pixels(float64(run.x)*cellWidth+margin), run.y*lineHeight+margin+fontSize, class(classes),
			pixels(float64(len([]rune(run.text)))*cellWidth), html.EscapeString(run.text))
	}
	out.WriteString("</svg>\n")
	return out.Bytes()
}

// style.css has the font, and colours for light and dark pages.
//
//go:embed style.css
var css string

// keyframes returns the animation of an element that is visible for an interval.
func keyframes(i interval, length time.Duration) string {
	percent := func(t time.Duration) string {
		return strings.TrimSuffix(fmt.Sprintf("%.2f", 100*float64(t)/float64(length)), ".00") + "%"
	}
	seen := percent(i.from) + "{visibility:visible}"
	if i.from > 0 {
		seen = "0%{visibility:hidden}" + seen
	}
	if i.to < length {
		return seen + percent(i.to) + "{visibility:hidden}"
	}
	return seen + "to{visibility:visible}"
}

// textRuns returns the visible text, ordered by time, rows and columns. Adjacent cells with the same style that appear and
// disappear together are one run, including spaces between words.
func textRuns(r recording) []textRun {
	var runs []textRun
	for y := range r.rows {
		for start := 0; start < len(r.frames); start++ {
			for x := 0; x < r.cols; x++ {
				if run, ok := runAt(r, start, x, y); ok {
					runs = append(runs, run)
					x += len([]rune(run.text)) - 1
				}
			}
		}
	}
	slices.SortStableFunc(runs, func(a, b textRun) int {
		return int(a.from - b.from)
	})
	return runs
}

// runAt returns the run that appears in a frame at a position.
func runAt(r recording, start, x, y int) (textRun, bool) {
	if !appears(r, start, x, y) {
		return textRun{}, false
	}
	first := r.frames[start].cells[y][x]
	end := lasts(r, start, x, y)
	var text []rune
	for ; x+len(text) < r.cols; text = append(text, r.frames[start].cells[y][x+len(text)].Char) {
		at := x + len(text)
		cell := r.frames[start].cells[y][at]
		if cell.Char == ' ' {
			continue
		}
		if style(cell) != style(first) || !appears(r, start, at, y) || lasts(r, start, at, y) != end {
			break
		}
	}
	run := textRun{x: x, y: y, style: style(first), text: strings.TrimRight(string(text), " "),
		interval: interval{from: r.frames[start].from, to: r.length}}
	if end < len(r.frames) {
		run.to = r.frames[end].from
	}
	return run, true
}

// appears reports whether a cell shows a new character in a frame.
func appears(r recording, frame, x, y int) bool {
	cell := r.frames[frame].cells[y][x]
	return cell.Char != ' ' && cell.Char != 0 && (frame == 0 || !same(cell, r.frames[frame-1].cells[y][x]))
}

// lasts returns the first frame after start in which a cell changes.
func lasts(r recording, start, x, y int) int {
	end := start + 1
	for end < len(r.frames) && same(r.frames[end].cells[y][x], r.frames[start].cells[y][x]) {
		end++
	}
	return end
}

func same(a, b vt10x.Glyph) bool { return a.Char == b.Char && style(a) == style(b) }

// bold is an attribute in Glyph.Mode; vt10x does not export it.
const bold = 1 << 2

// style returns the classes of a cell. Bright colours are drawn like normal ones.
func style(cell vt10x.Glyph) string {
	var classes []string
	if colour := cell.FG % 8; cell.FG < 16 && colour > 0 {
		classes = append(classes, fmt.Sprintf("c%d", colour))
	}
	if cell.Mode&bold != 0 {
		classes = append(classes, "b")
	}
	return strings.Join(classes, " ")
}

func class(names string) string {
	if names == "" {
		return ""
	}
	return ` class="` + names + `"`
}

func seconds(d time.Duration) string { return fmt.Sprintf("%gs", d.Seconds()) }

func pixels(f float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0") }
