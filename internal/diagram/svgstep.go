package diagram

import (
	"fmt"
	"strings"
)

// step draws a box with the step's name, its inputs on the left and its outputs on the right.
func (s *svg) step(n *node, x, width int) {
	s.element(`<g>`)
	class := strings.TrimSpace("box " + n.step.Mark.class())
	s.element(`<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="5"/>`, class, x, n.y, width, n.height())
	s.text(x+padding, n.y+19, "name", n.step.Name)
	if n.step.Mark != "" {
		s.text(x+width-padding, n.y+19, strings.TrimSpace("mark "+n.step.Mark.class()), string(n.step.Mark))
	}
	if n.step.rows() > 0 {
		s.element(`<path class="rule" d="M%d %dh%d"/>`, x, n.y+headHeight, width)
	}
	for i, input := range n.step.Inputs {
		middle := n.y + rowMiddle(i)
		switch {
		case input.Param:
			s.param(x, middle)
		case input.Left != "":
			s.left(x, middle)
			s.element(`<text class="in" x="%d" y="%d">%s <tspan class="left">%s</tspan></text>`, x+padding, middle+4,
				escapeXML(input.Name), escapeXML(leftArrow+input.Left))
			continue
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

// port draws the dot at the start of lines.
func (s *svg) port(class string, x, y int) {
	s.element(`<circle class="%s" cx="%d" cy="%d" r="4"/>`, class, x, y)
}

// param draws the diamond of an input from the sandbox.
func (s *svg) param(x, y int) {
	s.used[paramMark] = true
	s.element(`<path class="param" d="M%d %dl6 -6l6 6l-6 6z"/>`, x-6, y)
}

// free draws the ring and the stub of an output for workloads.
func (s *svg) free(x, y int) {
	s.used[freeMark] = true
	s.element(`<path class="free" d="M%d %da4 4 0 1 0 8 0a4 4 0 1 0 -8 0M%d %dh10m-4 -4l4 4l-4 4"/>`, x-4, y, x+4, y)
}

// leftArrow separates an input from the output of the other phase that it reads.
const leftArrow = "← "

// text is the text of an input in a box.
func (i Input) text() string {
	if i.Left == "" {
		return i.Name
	}
	return i.Name + " " + leftArrow + i.Left
}

// left draws the arrow of an input that reads an output of the other phase.
func (s *svg) left(x, y int) {
	s.used[acrossMark] = true
	s.element(`<path class="across" d="M%d %dh9"/>`, x-18, y)
	s.element(`<path class="far" d="M%d %dl-9 -5v10z"/>`, x, y)
}

// flows draws the lines of a phase, from the ports of outputs to the arrowheads at inputs.
func (s *svg) flows(l *phaseLayout) {
	for i, flow := range l.Flows {
		line := l.lines[i]
		if line == nil || l.nodes[flow.To].phase != l.phase {
			continue
		}
		s.used[flowMark] = true
		var path strings.Builder
		from, to := l.nodes[line[0]], l.nodes[line[len(line)-1]]
		x, y := l.lefts[from.column]+l.widths[from.column], from.y+rowMiddle(flow.Output)
		fmt.Fprintf(&path, "M%d %d", x, y)
		for _, at := range line[1:] {
			n := l.nodes[at]
			left, height := l.lefts[n.column], n.y
			if n == to {
				height += rowMiddle(flow.Input)
				left -= 7
			}
			middle := (x + left) / 2
			fmt.Fprintf(&path, "C%d %d %d %d %d %d", middle, y, middle, height, left, height)
			if x, y = left, height; n != to {
				x += l.widths[n.column]
				fmt.Fprintf(&path, "L%d %d", x, y)
			}
		}
		s.element(`<g><title>%s</title>`, escapeXML(l.sentence(flow)))
		s.element(`<path class="flow" d="%s"/>`, path.String())
		s.element(`<path class="port" d="M%d %dl-9 -5v10z"/></g>`, x+7, y)
	}
}

// The marks of the drawing, as the legend explains them.
const (
	paramMark  = "a param of the sandbox"
	flowMark   = "an output that a step reads"
	acrossMark = "what create left, read by delete"
	freeMark   = "an output for workloads alone"
)

// legend explains the marks that were used, in as many columns as the picture has room for.
func (s *svg) legend() {
	const ahead, behind = 34, 24
	var used []string
	column := 0
	for _, mark := range []string{paramMark, flowMark, acrossMark, freeMark} {
		if s.used[mark] {
			used = append(used, mark)
			column = max(column, ahead+columnsOf(mark)*cell)
		}
	}
	s.wide(column)
	columns := max(1, (s.width+behind)/(column+behind))
	for i, mark := range used {
		x, y := s.x+i%columns*(column+behind), s.y+i/columns*rowHeight+rowHeight/2
		switch mark {
		case paramMark:
			s.param(x+12, y)
		case flowMark:
			s.sample("flow", "port", x, y)
		case acrossMark:
			s.sample("across", "far", x, y)
		case freeMark:
			s.free(x+5, y)
		}
		s.text(x+ahead, y+4, "note", mark)
	}
	s.y += (len(used) + columns - 1) / columns * rowHeight
}

// sample draws a short line from a port to an arrowhead.
func (s *svg) sample(class, port string, x, y int) {
	s.element(`<path class="%s" d="M%d %dh20"/>`, class, x+4, y)
	s.port(port, x+4, y)
	s.element(`<path class="%s" d="M%d %dl-9 -5v10z"/>`, port, x+26, y)
}
