package krm

import "io"

// WriteTo writes the list with its edits and results, in one piece. A list that nobody changed is written as it came.
//
// Results are what this run found (the specification has them as output only): `results` that came in are replaced, and
// dropped where there is nothing to report, so that nobody takes an older finding for ours.
func (l *ResourceList) WriteTo(w io.Writer) (int64, error) {
	text, err := l.render()
	if err != nil {
		return 0, err
	}
	n, err := w.Write(text)
	return int64(n), err
}

func (l *ResourceList) render() ([]byte, error) {
	plan := l.plan()
	switch {
	case l.json != nil:
		return l.writeJSON(plan)
	case l.layout != nil:
		return l.writeBlock(plan)
	case l.root != nil && !l.changed(plan):
		return l.src, nil
	default:
		return l.writeTree()
	}
}

func (l *ResourceList) eol() string {
	if l.layout == nil {
		return "\n"
	}
	return l.layout.eol
}

// plan says what becomes of each item that came in, nil where it is gone, and which are added at the end.
type plan struct{ kept, added []*Item }

func (l *ResourceList) plan() plan {
	p := plan{kept: make([]*Item, len(l.read))}
	last := 0
	for _, item := range l.items {
		if slot := l.slotOf(item); slot > last && len(p.added) == 0 {
			p.kept[slot-1], last = item, slot
			continue
		}
		p.added = append(p.added, item)
	}
	return p
}

// slotOf returns the place of an item, or of the one that it replaces, among those that came in, from 1.
func (l *ResourceList) slotOf(item *Item) int {
	for item.replaced != nil {
		item = item.replaced
	}
	if item.list != l {
		return 0
	}
	return item.slot
}
