package diagram

import (
	"bytes"
	_ "embed"
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

//go:embed style.css
var style string

//go:embed marks.css
var marks string

// markStyle is the style of the marks, or "" without marks.
func markStyle(pictures []*Picture) string {
	for _, p := range pictures {
		if slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Mark != "" }) {
			return marks
		}
	}
	return ""
}

// drawSVG draws one image, the plugins below each other and a legend at the end. Its background is opaque, since the
// surrounding page may be dark although the reader's system is light.
func drawSVG(pictures []*Picture) ([]byte, error) {
	s := &svg{x: padding, y: padding, used: map[string]bool{}}
	for _, p := range pictures {
		s.text(s.x, s.y+16, "title", p.Title)
		s.wide(columnsOf(p.Title) * (cell + 3))
		s.y += 30
		if err := s.plugin(p); err != nil {
			return nil, err
		}
	}
	s.legend()
	var b bytes.Buffer
	width, height := s.open(&b, "picture", pictures...)
	fmt.Fprintf(&b, "<style>\n%s%s</style>\n", style, markStyle(pictures))
	fmt.Fprintf(&b, "<rect class=\"ground\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n", width-1, height-1)
	_, _ = s.WriteTo(&b)
	b.WriteString("</svg>\n")
	return b.Bytes(), nil
}

// Embed draws a picture as an element for a page, which must have the style sheet of Style. The title is left to the
// page. No other element of the page may have an id with the given prefix. The error means that the picture is too
// large for an image.
func Embed(p *Picture, id string) ([]byte, error) {
	s := &svg{x: 1, y: 1, used: map[string]bool{}}
	if err := s.plugin(p); err != nil {
		return nil, err
	}
	s.legend()
	var b bytes.Buffer
	s.open(&b, id, p)
	_, _ = s.WriteTo(&b)
	b.WriteString("</svg>\n")
	return b.Bytes(), nil
}

// Style returns the style sheet of pictures below the elements that a selector selects.
func Style(scope string) string {
	return selectors.ReplaceAllStringFunc(style, func(line string) string {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		return indent + scope + " " + strings.ReplaceAll(strings.TrimSpace(line), ", ", ", "+scope+" ") + " "
	})
}

// selectors matches the selectors of a style sheet with one rule per line.
var selectors = regexp.MustCompile(`(?m)^ *[.a-z][^{@]*`)

// open writes the start of the image, with its text alternative. The padding is in the plugins' positions.
func (s *svg) open(b *bytes.Buffer, id string, pictures ...*Picture) (width, height int) {
	width, height = s.width+2*s.x, s.y+s.x
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" `+
		`aria-labelledby="%s-title %s-description">`+"\n", width, height, width, height, id, id)
	fmt.Fprintf(b, "<title id=\"%s-title\">%s</title>\n", id, escapeXML(titles(pictures)))
	fmt.Fprintf(b, "<desc id=\"%s-description\">%s</desc>\n", id, escapeXML(describe(pictures)))
	return width, height
}

// svg writes elements from the top down.
type svg struct {
	bytes.Buffer
	x, y  int // start of the next plugin
	width int // of the widest so far
	used  map[string]bool
}

// plugin draws a frame for each phase of a plugin. It is an error if it has too many lines.
func (s *svg) plugin(p *Picture) error {
	l, fits := newLayout(p)
	if !fits {
		return fmt.Errorf("too many lines of %q pass too many columns for an image: draw it as %s", p.Title, DOT)
	}
	l.order()
	var phases []*phaseLayout
	right := 0
	for _, phase := range v1alpha1.Phases {
		if len(l.columns[phase]) == 0 {
			continue
		}
		of := &phaseLayout{layout: l, phase: phase, top: s.y}
		s.y += frameHead + l.alignAll(l.columns[phase]) + 2*padding
		of.place(s.x)
		phases, right = append(phases, of), max(right, of.right)
	}
	s.wide(right)
	for i, of := range phases {
		end := s.y
		if i+1 < len(phases) {
			end = phases[i+1].top
		}
		s.element(`<rect class="frame" x="%d" y="%d" width="%d" height="%d" rx="6"/>`, s.x, of.top, right, end-of.top-padding/2)
		s.text(s.x+padding, of.top+18, "note", string(of.phase))
		s.flows(of)
		for i := range l.Steps {
			if n := l.nodes[i]; n.phase == of.phase {
				s.step(n, of.lefts[n.column], of.widths[n.column])
			}
		}
	}
	s.y += padding
	return nil
}

// phaseLayout is the positions of a phase's nodes, in pixels.
type phaseLayout struct {
	*layout
	phase v1alpha1.Phase
	top   int
	// lefts and widths are those of the columns.
	lefts, widths []int
	right         int // the right end
}

// place moves the nodes below the phase's name, and sets the position and the width of each column, from x on.
func (l *phaseLayout) place(x int) {
	l.right = 2 * padding
	for _, column := range l.columns[l.phase] {
		width, gap := 0, minGap
		for _, n := range column {
			n.y += l.top + frameHead + padding/2
			if n.step != nil {
				width = max(width, n.step.width())
			}
		}
		for _, n := range column {
			for _, t := range n.before {
				steep := n.y + t.here - l.nodes[t.node].y - t.there
				gap = min(maxGap, max(gap, max(steep, -steep)/3))
			}
		}
		if len(l.lefts) > 0 {
			l.right += gap
		}
		l.lefts, l.widths = append(l.lefts, x+l.right), append(l.widths, width)
		l.right += width
	}
	l.right += 2 * padding
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
