package diagram

import (
	"bytes"
	_ "embed"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

//go:embed style.css
var style string

//go:embed marks.css
var marks string

// markStyle is the style of the marks, if there are any.
func markStyle(pictures []*Picture) string {
	for _, p := range pictures {
		if slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Mark != "" }) {
			return marks
		}
	}
	return ""
}

// drawSVG draws one image, the plugins below each other and a legend at the end. Its background is opaque, since the page
// around it may be dark although the reader's system is light.
func drawSVG(pictures []*Picture) ([]byte, error) {
	s := &svg{x: padding, y: padding, used: map[string]bool{}}
	for _, p := range pictures {
		l, fits := newLayout(p)
		if !fits {
			return nil, fmt.Errorf("too many lines of %q pass too many columns for an image: draw it as %s", p.Title, DOT)
		}
		l.order()
		s.plugin(l)
	}
	s.legend()
	var b bytes.Buffer
	width, height := s.width+2*padding, s.y+padding
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" `+
		`aria-labelledby="picture-title picture-description">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title id=\"picture-title\">%s</title>\n", escapeXML(titles(pictures)))
	fmt.Fprintf(&b, "<desc id=\"picture-description\">%s</desc>\n", escapeXML(describe(pictures)))
	fmt.Fprintf(&b, "<style>\n%s%s</style>\n", style, markStyle(pictures))
	fmt.Fprintf(&b, "<rect class=\"ground\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n", width-1, height-1)
	_, _ = s.WriteTo(&b)
	b.WriteString("</svg>\n")
	return b.Bytes(), nil
}

// svg writes elements from the top down.
type svg struct {
	bytes.Buffer
	x, y  int // where the next plugin begins
	width int // of the widest so far
	used  map[string]bool
}

// plugin draws a plugin: its name, then a frame for each phase. A step of the delete phase stands right of what it reads.
func (s *svg) plugin(l *layout) {
	s.text(s.x, s.y+16, "title", l.Title)
	s.wide(columnsOf(l.Title) * (cell + 3))
	s.y += 30
	tops := map[v1alpha1.Phase]int{}
	bottom := s.y
	for _, phase := range v1alpha1.Phases {
		if len(l.columns[phase]) > 0 {
			tops[phase] = bottom
			bottom += frameHead + l.alignAll(l.columns[phase]) + 2*padding
			for _, column := range l.columns[phase] {
				for _, n := range column {
					n.y += tops[phase] + frameHead + padding/2
				}
			}
		}
	}
	lefts, widths, right := l.horizontal()
	s.wide(right)
	for _, phase := range v1alpha1.Phases {
		if top, drawn := tops[phase]; drawn {
			end := bottom
			if phase == v1alpha1.PhaseCreate && tops[v1alpha1.PhaseDelete] > 0 {
				end = tops[v1alpha1.PhaseDelete]
			}
			s.element(`<rect class="frame" x="%d" y="%d" width="%d" height="%d" rx="6"/>`, s.x, top, right, end-top-padding/2)
			s.text(s.x+padding, top+18, "note", string(phase))
		}
	}
	s.flows(l, lefts, widths)
	for i := range l.Steps {
		n := l.nodes[i]
		s.step(n, s.x+lefts[n.column], widths[n.column])
	}
	s.y = bottom + padding
}

// horizontal returns where each column begins and how wide it is, and how wide all is.
func (l *layout) horizontal() (lefts, widths []int, right int) {
	gaps := []int{}
	for _, n := range l.nodes {
		for len(widths) <= n.column {
			widths, gaps = append(widths, 0), append(gaps, minGap)
		}
		if n.step != nil {
			widths[n.column] = max(widths[n.column], n.step.width())
		}
		for _, t := range n.after {
			steep := n.y + t.here - l.nodes[t.node].y - t.there
			gaps[n.column] = min(maxGap, max(gaps[n.column], max(steep, -steep)/4))
		}
	}
	right = 2 * padding
	for i, width := range widths {
		lefts = append(lefts, right)
		if right += width; i+1 < len(widths) {
			right += gaps[i]
		}
	}
	return lefts, widths, right + 2*padding
}

func (s *svg) wide(width int) { s.width = max(s.width, width) }

func (s *svg) element(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

func (s *svg) text(x, y int, class, text string) {
	s.element(`<text class="%s" x="%d" y="%d">%s</text>`, class, x, y, escapeXML(text))
}

func escapeXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}
