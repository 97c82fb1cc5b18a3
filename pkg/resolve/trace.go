package resolve

import (
	"fmt"
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
	var dropped []*entry
	for _, e := range entries {
		if len(kept) > 0 && kept[0] == e {
			kept = kept[1:]
			continue
		}
		dropped = append(dropped, e)
	}
	return dropped
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
func (c Count) Dropped() []string {
	texts := make([]string, len(c.dropped))
	for i, e := range c.dropped {
		texts[i] = e.name.Version.String()
	}
	return texts
}

// String prints the trace in one line: `all=5 -> releases=3`.
func (t Trace) String() string {
	counts := make([]string, len(t))
	for i, count := range t {
		counts[i] = fmt.Sprintf("%s=%d", count.Stage, count.Left)
	}
	return strings.Join(counts, " -> ")
}
