package diagram

import "github.com/resource-plugins/krm-functions/api/v1alpha1"

// maxBends is the highest number of bends of an SVG; an image with more cannot be read.
const maxBends = 50_000

// node is a step's box, or a bend, where a line passes a column. The nodes of the steps come first, in their order.
type node struct {
	step   *Step // nil for a bend
	phase  v1alpha1.Phase
	column int
	y      int
	rank   int // from the top, among the nodes of its phase in its column
	// before and after are the lines to the columns left and right of it.
	before, after []link
}

// link is a line from a node to one in the next column, with the distances of its ends from the top of each.
type link struct{ node, here, there int }

// layout is a picture with its positions.
type layout struct {
	*Picture
	nodes []*node
	// columns are the nodes of a phase by column, each from top to bottom.
	columns map[v1alpha1.Phase][][]*node
	// lines are the nodes that each flow passes through, none for a flow between the phases.
	lines [][]int
}

// newLayout assigns the columns of the nodes. It reports whether the lines can be drawn.
func newLayout(p *Picture) (*layout, bool) {
	l := &layout{Picture: p, columns: map[v1alpha1.Phase][][]*node{}}
	for i := range p.Steps {
		step := &p.Steps[i]
		l.add(&node{step: step, phase: step.Phase, column: step.Layer})
	}
	return l, l.connect()
}

func (l *layout) add(n *node) int {
	columns := l.columns[n.phase]
	for len(columns) <= n.column {
		columns = append(columns, nil)
	}
	n.rank = len(columns[n.column])
	columns[n.column] = append(columns[n.column], n)
	l.columns[n.phase] = columns
	l.nodes = append(l.nodes, n)
	return len(l.nodes) - 1
}

// connect adds the lines, with shared bends for those of one output. It reports whether there are at most maxBends.
func (l *layout) connect() bool {
	type bend struct{ from, output, column int }
	bends, linked, passed := map[bend]int{}, map[[4]int]bool{}, 0
	for _, flow := range l.Flows {
		if l.across(flow) {
			l.lines = append(l.lines, nil)
			continue
		}
		line := []int{flow.From}
		to := l.nodes[flow.To]
		for column := l.nodes[flow.From].column + 1; column < to.column; column++ {
			if passed++; passed > maxBends {
				return false
			}
			key := bend{flow.From, flow.Output, column}
			at, known := bends[key]
			if !known {
				at = l.add(&node{phase: to.phase, column: column})
				bends[key] = at
			}
			line = append(line, at)
		}
		line = append(line, flow.To)
		l.lines = append(l.lines, line)
		for i := range len(line) - 1 {
			here, there := l.port(line[i], flow.Output), l.port(line[i+1], flow.Input)
			if key := [4]int{line[i], here, line[i+1], there}; !linked[key] {
				linked[key] = true
				a, b := l.nodes[line[i]], l.nodes[line[i+1]]
				a.after = append(a.after, link{line[i+1], here, there})
				b.before = append(b.before, link{line[i], there, here})
			}
		}
	}
	return true
}

// port is the distance of a line's end from the top of its node, at one of the rows of a box.
func (l *layout) port(n, row int) int {
	if l.nodes[n].step == nil {
		return 0
	}
	return rowMiddle(row)
}
