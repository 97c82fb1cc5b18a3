package diagram

import (
	"fmt"
	"strings"
)

// mark is a mark of the drawing that the legend explains.
type mark int

const (
	paramMark mark = iota
	flowMark
	acrossMark
	freeMark
)

// step draws a box with the step's name, its inputs on the left and its outputs on the right.
func (s *svg) step(n *node, x, width int) {
	s.element(`<g>`)
	s.element(`<rect class="box" x="%d" y="%d" width="%d" height="%d" rx="5"/>`, x, n.y, width, n.height())
	s.text(x+padding, n.y+19, "name", n.step.Name)
	if n.step.rows() > 0 {
		s.element(`<path class="rule" d="M%d %dh%d"/>`, x, n.y+headHeight, width)
	}
	for i, input := range n.step.Inputs {
		middle := n.y + rowMiddle(i)
		if input.Param {
			s.param(x, middle)
		}
		s.text(x+padding, middle+4, "in", input.Name)
	}
	for i, output := range n.step.Outputs {
		middle := n.y + rowMiddle(i)
		switch {
		case !output.Read:
			s.free(x+width, middle)
		case output.Kept:
			s.port("far", x+width, middle)
		default:
			s.port("port", x+width, middle)
		}
		s.text(x+width-padding, middle+4, "out", output.Name)
	}
	s.element(`</g>`)
}

// port draws the dot that lines leave from.
func (s *svg) port(class string, x, y int) {
	s.element(`<circle class="%s" cx="%d" cy="%d" r="4"/>`, class, x, y)
}

// param draws the diamond of an input that the sandbox gives.
func (s *svg) param(x, y int) {
	s.used[paramMark] = true
	s.element(`<path class="param" d="M%d %dl6 -6l6 6l-6 6z"/>`, x-6, y)
}

// free draws the ring and the stub of an output that is left for workloads.
func (s *svg) free(x, y int) {
	s.used[freeMark] = true
	s.element(`<path class="free" d="M%d %da4 4 0 1 0 8 0a4 4 0 1 0 -8 0M%d %dh10m-4 -4l4 4l-4 4"/>`, x-4, y, x+4, y)
}

// flows draws the lines, from the ports of outputs to the arrowheads at inputs.
func (s *svg) flows(l *layout, lefts, widths []int) {
	for i, flow := range l.Flows {
		class, port := "flow", "port"
		if l.across(flow) {
			class, port = "across", "far"
			s.used[acrossMark] = true
		} else {
			s.used[flowMark] = true
		}
		var path strings.Builder
		line := l.lines[i]
		from, to := l.nodes[line[0]], l.nodes[line[len(line)-1]]
		x, y := s.x+lefts[from.column]+widths[from.column], from.y+rowMiddle(flow.Output)
		fmt.Fprintf(&path, "M%d %d", x, y)
		for _, at := range line[1:] {
			n := l.nodes[at]
			left, height := s.x+lefts[n.column], n.y
			if n == to {
				height += rowMiddle(flow.Input)
				left -= 7
			}
			middle := (x + left) / 2
			fmt.Fprintf(&path, "C%d %d %d %d %d %d", middle, y, middle, height, left, height)
			if x, y = left, height; n != to {
				x += widths[n.column]
				fmt.Fprintf(&path, "L%d %d", x, y)
			}
		}
		s.element(`<g><title>%s</title>`, escapeXML(l.sentence(flow)))
		s.element(`<path class="%s" d="%s"/>`, class, path.String())
		s.element(`<path class="%s" d="M%d %dl-9 -5v10z"/></g>`, port, x+7, y)
	}
}
