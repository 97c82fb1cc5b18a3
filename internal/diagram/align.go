package diagram

import "slices"

// The measures of an SVG, in pixels.
const (
	cell       = 8  // the width of the font's widest character
	rowHeight  = 20 // of an input, an output and a line of the legend
	headHeight = 28 // of a box's name
	boxFoot    = 6
	boxGap     = 18 // between boxes of a column
	bendGap    = 12 // between a bend and the node above it
	padding    = 14
	frameHead  = 26
	minGap     = 60 // between columns
	maxGap     = 180
)

// passes is the number of times that the columns are aligned, in alternating directions.
const passes = 6

// rowMiddle is the distance of the middle of a row from the top of its box.
func rowMiddle(row int) int { return headHeight + row*rowHeight + rowHeight/2 }

func (s *Step) rows() int { return max(len(s.Inputs), len(s.Outputs)) }

func (n *node) height() int {
	switch {
	case n.step == nil:
		return 0
	case n.step.rows() == 0:
		return headHeight
	}
	return headHeight + n.step.rows()*rowHeight + boxFoot
}

// width is the minimal width of a step's box.
func (s *Step) width() int {
	in, out := 0, 0
	for _, input := range s.Inputs {
		in = max(in, columnsOf(input.text()))
	}
	for _, output := range s.Outputs {
		out = max(out, columnsOf(output.Name))
	}
	between := 0
	if in > 0 && out > 0 {
		between = 3
	}
	head := columnsOf(s.Name)
	if s.Mark != "" {
		head += 3 + columnsOf(string(s.Mark))
	}
	return max(head, in+between+out)*cell + 2*padding
}

// alignAll sets the y of the nodes of a phase, the highest at 0, and returns the total height. Each pass moves the
// nodes towards their linked nodes on one side.
func (l *layout) alignAll(columns [][]*node) int {
	for pass := range passes {
		sweepColumns(pass, columns, l.align)
	}
	nodes := slices.Concat(columns...)
	top, bottom := nodes[0].y, nodes[0].y
	for _, n := range nodes {
		top, bottom = min(top, n.y), max(bottom, n.y+n.height())
	}
	for _, n := range nodes {
		n.y -= top
	}
	return bottom - top
}

// block is adjacent nodes that move as one: the weighted sum of the desired y of the first.
type block struct{ desired, weight, nodes int }

func (s block) y() int { return s.desired / s.weight }

// align sets the y of the nodes of a column so that the sum of squared distances from the desired ones is least, without
// changing their order: isotonic regression by pooling adjacent violators.
func (l *layout) align(column []*node, links func(*node) []link) {
	var blocks []block
	offsets := make([]int, len(column))
	for i, n := range column {
		if i > 0 {
			offsets[i] = offsets[i-1] + column[i-1].height() + gap(column[i-1], n)
		}
		desired, weight := l.desired(n, links(n))
		blocks = append(blocks, block{(desired - offsets[i]) * weight, weight, 1})
		for last := len(blocks) - 1; last > 0 && blocks[last-1].y() > blocks[last].y(); last-- {
			a, b := blocks[last-1], blocks[last]
			blocks = append(blocks[:last-1], block{a.desired + b.desired, a.weight + b.weight, a.nodes + b.nodes})
		}
	}
	i := 0
	for _, s := range blocks {
		for range s.nodes {
			column[i].y = s.y() + offsets[i]
			i++
		}
	}
}

// desired returns the y that aligns a node with its linked nodes, and its weight: long lines should be straight.
func (l *layout) desired(n *node, links []link) (y, weight int) {
	sum, count := 0, 0
	for _, t := range links {
		sum += l.nodes[t.node].y + t.there - t.here
		count++
	}
	switch {
	case count == 0:
		return n.y, 1
	case n.step == nil:
		return sum / count, 8
	}
	return sum / count, 2
}

func gap(above, below *node) int {
	if above.step == nil || below.step == nil {
		return bendGap
	}
	return boxGap
}
