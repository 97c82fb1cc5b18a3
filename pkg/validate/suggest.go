package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The bounds of a suggestion: comparing a name with every other one must not cost more than the check itself.
const (
	mostCandidates = 50
	longestName    = 32
)

// suggest reports that there is no such name, with the candidate that is likely to be meant.
func (c *check) suggest(path krm.Path, nothing, name string, candidates []string, otherwise string) {
	if name == "" {
		return // for the rule "required"
	}
	nearest, sure := "", false
	if len(name) <= longestName {
		short := slices.DeleteFunc(slices.Clone(candidates[:min(len(candidates), mostCandidates)]), tooLong)
		nearest, sure = strictyaml.Nearest(name, short)
	}
	if nearest == "" {
		c.report(path, "%s %q: %s", nothing, name, otherwise)
		return
	}
	c.propose(path, certain(nearest, sure), "%s %q: did you mean %q?", nothing, name, nearest)
}

func tooLong(name string) bool { return len(name) > longestName }

// certain is a value to propose, nil where it is only likely.
func certain(value string, sure bool) any {
	if sure {
		return value
	}
	return nil
}

// listed names the first of some names, for a message that says what there is.
func listed(names []string) string {
	const most = 10
	if len(names) == 0 {
		return "none"
	}
	quoted := make([]string, 0, most+1)
	for _, name := range names[:min(len(names), most)] {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	if len(names) > most {
		quoted = append(quoted, fmt.Sprintf("%d more", len(names)-most))
	}
	return strings.Join(quoted, ", ")
}

// oneOf reports a word that is given and none of those allowed, and proposes the one that differs in case alone.
func (c *check) oneOf(path krm.Path, word string, allowed ...string) {
	if word == "" || slices.Contains(allowed, word) {
		return
	}
	var proposed any
	for _, one := range allowed {
		if strings.EqualFold(one, word) {
			proposed = one
		}
	}
	c.propose(path, proposed, "must be one of %s, not %q", listed(allowed), word)
}
