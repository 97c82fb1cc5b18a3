package diagram

import (
	"cmp"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// sweeps is the number of times that the columns are sorted, in alternating directions. More hardly ever save a
// crossing.
const sweeps = 8

// order puts the nodes of each column in the order with the fewest crossings among those that sorting by barycentre
// finds (Sugiyama, Tagawa and Toda 1981). Ties keep the order of execution.
func (l *layout) order() {
	best, crossings := l.ranks(), l.crossings()
	for sweep := 0; sweep < sweeps && crossings > 0; sweep++ {
		for _, phase := range v1alpha1.Phases {
			sweepColumns(sweep, l.columns[phase], l.sort)
		}
		if fewer := l.crossings(); fewer < crossings {
			best, crossings = l.ranks(), fewer
		}
	}
	for i, n := range l.nodes {
		n.rank = best[i]
	}
	for _, columns := range l.columns {
		for _, column := range columns {
			slices.SortFunc(column, func(a, b *node) int { return cmp.Compare(a.rank, b.rank) })
		}
	}
}

// sweepColumns visits the columns from left to right with the links to their left, and each second time from right to left
// with the links to their right.
func sweepColumns(sweep int, columns [][]*node, visit func(column []*node, links func(*node) []link)) {
	for i := range columns {
		if sweep%2 == 0 {
			visit(columns[i], func(n *node) []link { return n.before })
		} else {
			visit(columns[len(columns)-1-i], func(n *node) []link { return n.after })
		}
	}
}

func (l *layout) ranks() []int {
	ranks := make([]int, len(l.nodes))
	for i, n := range l.nodes {
		ranks[i] = n.rank
	}
	return ranks
}

// span is larger than the height of any box: a rank and a port make one number that sorts by both.
const span = 1 << 20

// sort sorts a column by the middle of each node's links. A node without links stays.
func (l *layout) sort(column []*node, links func(*node) []link) {
	middle := make(map[*node]int, len(column))
	for _, n := range column {
		sum, count := 0, 0
		for _, t := range links(n) {
			sum += l.nodes[t.node].rank*span + t.there
			count++
		}
		if middle[n] = n.rank * span; count > 0 {
			middle[n] = sum / count
		}
	}
	slices.SortStableFunc(column, func(a, b *node) int { return cmp.Compare(middle[a], middle[b]) })
	for rank, n := range column {
		n.rank = rank
	}
}

// crossings counts the pairs of lines between neighbouring columns of a phase that cross.
func (l *layout) crossings() int {
	count := 0
	for _, columns := range l.columns {
		for _, column := range columns {
			var ends [][2]int
			for _, n := range column {
				for _, t := range n.after {
					ends = append(ends, [2]int{n.rank*span + t.here, l.nodes[t.node].rank*span + t.there})
				}
			}
			slices.SortFunc(ends, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
			count += inversions(ends)
		}
	}
	return count
}

// inversions counts the pairs whose second numbers are in descending order.
func inversions(ends [][2]int) (count int) {
	numbers := make([]int, len(ends))
	for i, end := range ends {
		numbers[i] = end[1]
	}
	slices.Sort(numbers)
	seen := make([]int, len(ends)+1) // a Fenwick tree: the counts of earlier numbers
	for i, end := range ends {
		rank, _ := slices.BinarySearch(numbers, end[1])
		count += i
		for at := rank + 1; at > 0; at &= at - 1 {
			count -= seen[at]
		}
		for at := rank + 1; at < len(seen); at += at & -at {
			seen[at]++
		}
	}
	return count
}
