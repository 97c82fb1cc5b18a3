package resolve

import (
	"fmt"
	"strings"
)

// passage is what became of a plugin's versions on their way through the stages.
type passage struct {
	left     []*entry
	trail    Trail
	warnings []string
	// stopped is the stage that left nothing, entered what came into it.
	stopped *stage
	entered []*entry
}

// narrow sends entries through the stages. The first one is always on the trail, others where they leave something out.
func narrow(entries []*entry, stages []stage) passage {
	p := passage{left: entries, trail: Trail{{Stage: "all", Left: len(entries)}}}
	for i := range stages {
		kept := stages[i].keep(p.left)
		if i > 0 && len(kept) == len(p.left) {
			continue
		}
		p.trail = append(p.trail, Count{stages[i].name, len(kept), without(p.left, kept)})
		switch {
		case len(kept) > 0 || len(p.left) == 0:
			p.left = kept
		case stages[i].prefers:
			if stages[i].warning != "" {
				p.warnings = append(p.warnings, stages[i].warning)
			}
		default:
			p.stopped, p.entered, p.left = &stages[i], p.left, nil
			return p
		}
	}
	return p
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

// Trail is how many versions each stage left.
type Trail []Count

// Count is how many versions a stage left.
type Count struct {
	Stage string
	Left  int

	dropped []*entry
}

// Dropped returns the versions that the stage left out, the highest first.
func (c Count) Dropped() []string {
	texts := make([]string, len(c.dropped))
	for i, e := range c.dropped {
		texts[i] = e.name.Version.String()
	}
	return texts
}

// String writes the trail in one line: `all=5 -> releases=3`.
func (t Trail) String() string {
	counts := make([]string, len(t))
	for i, count := range t {
		counts[i] = fmt.Sprintf("%s=%d", count.Stage, count.Left)
	}
	return strings.Join(counts, " -> ")
}
