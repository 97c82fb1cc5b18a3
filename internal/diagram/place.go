package diagram

// The measures of an SVG, in pixels.
const (
	cell       = 8  // the widest that a character of the font is
	rowHeight  = 20 // of an input, an output and a line of the legend
	headHeight = 28 // of a box's name
	boxFoot    = 6
	boxGap     = 18 // between boxes of a column
	bendGap    = 12 // between a bend and what is above it
	padding    = 14
	frameHead  = 26
	minGap     = 60 // between columns
	maxGap     = 180
)

// passes is how often the columns are placed, each time in the other direction.
const passes = 6

// rowMiddle is how far below a box's top the middle of one of its rows is.
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

// width is how wide a step's box must be.
func (s *Step) width() int {
	in, out := 0, 0
	for _, input := range s.Inputs {
		in = max(in, columnsOf(input.Name))
	}
	for _, output := range s.Outputs {
		out = max(out, columnsOf(output.Name))
	}
	between := 0
	if in > 0 && out > 0 {
		between = 3
	}
	return max(columnsOf(s.Name), in+between+out)*cell + 2*padding
}

// place puts the columns of a phase at their heights, the highest node at 0, and returns how high the whole is. Each pass
// moves the nodes towards those that they are tied to on one side.
func (l *layout) place(columns [][]*node) int {
	for pass := range passes {
		for i := range columns {
			if pass%2 == 0 {
				l.settle(columns[i], func(n *node) []tie { return n.before })
			} else {
				l.settle(columns[len(columns)-1-i], func(n *node) []tie { return n.after })
			}
		}
	}
	top, bottom := 0, 0
	first := true
	for _, column := range columns {
		for _, n := range column {
			if first {
				top, bottom, first = n.y, n.y, false
			}
			top, bottom = min(top, n.y), max(bottom, n.y+n.height())
		}
	}
	for _, column := range columns {
		for _, n := range column {
			n.y -= top
		}
	}
	return bottom - top
}

// stretch is nodes that touch each other and move as one. The wish is where the first would like to be.
type stretch struct{ wish, weight, nodes int }

func (s stretch) place() int { return s.wish / s.weight }

// settle gives the nodes of a column the heights with the least sum of squared distances from where they would like to be,
// without changing their order: isotonic regression, by pooling those that get in each other's way.
func (l *layout) settle(column []*node, ties func(*node) []tie) {
	var stretches []stretch
	offsets := make([]int, len(column))
	for i, n := range column {
		if i > 0 {
			offsets[i] = offsets[i-1] + column[i-1].height() + gap(column[i-1], n)
		}
		wish, weight := l.wish(n, ties(n))
		stretches = append(stretches, stretch{(wish - offsets[i]) * weight, weight, 1})
		for last := len(stretches) - 1; last > 0 && stretches[last-1].place() > stretches[last].place(); last-- {
			a, b := stretches[last-1], stretches[last]
			stretches = append(stretches[:last-1], stretch{a.wish + b.wish, a.weight + b.weight, a.nodes + b.nodes})
		}
	}
	i := 0
	for _, s := range stretches {
		for range s.nodes {
			column[i].y = s.place() + offsets[i]
			i++
		}
	}
}

// wish is where a node would like to be, and how much: long lines like to be straight.
func (l *layout) wish(n *node, ties []tie) (y, weight int) {
	sum, count := 0, 0
	for _, t := range ties {
		if other := l.nodes[t.node]; other.phase == n.phase {
			sum += other.y + t.there - t.here
			count++
		}
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
