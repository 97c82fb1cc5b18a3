package catalog

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/version"
)

// stage is one filter of the pipeline that a reference goes through.
type stage struct {
	// name says what it leaves.
	name string
	keep func(*entry) bool
	// otherwise makes the stage a preference: where nothing would be left it is passed over, with this warning about
	// the version that is chosen then.
	otherwise string
}

// pipeline returns the stages for a reference, in order.
func pipeline(reference version.Reference) []stage {
	if reference.Floats() && !reference.Ranges() {
		return []stage{{
			name:      "releases",
			keep:      func(e *entry) bool { return e.name.Version.Prerelease() == "" },
			otherwise: "%s is a prerelease, chosen since there is no release: name it in the reference to accept it",
		}}
	}
	return []stage{{
		name: reference.Selector,
		keep: func(e *entry) bool { return reference.Admits(e.name.Version) },
	}}
}

// Trail is how many versions each stage left.
type Trail []Count

// Count is how many versions a stage left.
type Count struct {
	Stage string
	Left  int
}

// String writes the trail in one line: `all=5 -> releases=3`.
func (t Trail) String() string {
	counts := make([]string, len(t))
	for i, count := range t {
		counts[i] = fmt.Sprintf("%s=%d", count.Stage, count.Left)
	}
	return strings.Join(counts, " -> ")
}

// narrow sends entries through the stages. It returns what is left, in the same order, and the warnings of the
// preferences that were passed over.
func narrow(entries []*entry, stages []stage) (left []*entry, trail Trail, warnings []string) {
	left, trail = entries, Trail{{"all", len(entries)}}
	for _, s := range stages {
		kept := s.of(left)
		trail = append(trail, Count{s.name, len(kept)})
		if len(kept) == 0 && len(left) > 0 && s.otherwise != "" {
			warnings = append(warnings, s.otherwise)
			continue
		}
		left = kept
	}
	return left, trail, warnings
}

func (s stage) of(entries []*entry) []*entry {
	var kept []*entry
	for _, e := range entries {
		if s.keep(e) {
			kept = append(kept, e)
		}
	}
	return kept
}
