package resolve

import (
	"fmt"
	"slices"
	"strings"
)

// narrowed is the result of the stages.
type narrowed struct {
	left     []*entry
	trace    Trace
	warnings []string
	// stopped is the stage that kept nothing, entered the versions before it.
	stopped *stage
	entered []*entry
}

// narrow applies the stages. The first one is always in the trace, others if they drop something.
func narrow(entries []*entry, stages []stage) narrowed {
	n := narrowed{left: entries, trace: Trace{{Stage: "all", Left: len(entries)}}}
	for i := range stages {
		kept := stages[i].keep(n.left)
		if i > 0 && len(kept) == len(n.left) {
			continue
		}
		n.trace = append(n.trace, Count{stages[i].name, len(kept), without(n.left, kept)})
		switch {
		case len(kept) > 0 || len(n.left) == 0:
			n.left = kept
		case stages[i].prefers:
			if stages[i].warning != "" {
				n.warnings = append(n.warnings, stages[i].warning)
			}
		default:
			n.stopped, n.entered, n.left = &stages[i], n.left, nil
			return n
		}
	}
	return n
}

// without returns the entries that were not kept. Both are in the same order.
func without(entries, kept []*entry) []*entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e *entry) bool {
		isKept := len(kept) > 0 && kept[0] == e
		if isKept {
			kept = kept[1:]
		}
		return isKept
	})
}

// Trace is how many versions each stage of resolution left.
type Trace []Count

// Count is how many versions a stage left.
type Count struct {
	Stage string
	Left  int

	dropped []*entry
}

// Dropped returns the versions that the stage dropped, the highest first.
func (c Count) Dropped() []string { return texts(c.dropped, (*entry).version) }

// String prints the trace in one line: `all=5 -> releases=3`.
func (t Trace) String() string {
	return strings.Join(texts(t, func(c Count) string { return fmt.Sprintf("%s=%d", c.Stage, c.Left) }), " -> ")
}
