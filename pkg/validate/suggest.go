package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The limits of a suggestion: comparing a name with all others must not cost more than the check itself.
const (
	mostCandidates = 50
	longestName    = 32
)

// suggest reports that there is no such name, with the candidate that is likely to be meant, or else with otherwise.
func (c *checked) suggest(r *Rule, path krm.Path, nothing, name string, candidates []string, otherwise string) {
	if name == "" {
		return // for the rule "required"
	}
	nearest, sure := "", false
	if len(name) <= longestName {
		short := slices.DeleteFunc(slices.Clone(candidates[:min(len(candidates), mostCandidates)]), tooLong)
		nearest, sure = strictyaml.Nearest(name, short)
	}
	if nearest == "" {
		c.report(r, path, "%s %q: %s", nothing, name, otherwise)
		return
	}
	c.propose(r, path, certain(nearest, sure), "%s %q: did you mean %q?", nothing, name, nearest)
}

func tooLong(name string) bool { return len(name) > longestName }

// certain is a value to propose, nil if it is only likely.
func certain(value string, sure bool) any {
	if sure {
		return value
	}
	return nil
}

// listed names the first of some names for a message.
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

// oneOf reports a value that is given and not allowed, and proposes the one that differs in case alone.
func (c *checked) oneOf(r *Rule, path krm.Path, value string, allowed ...string) {
	if value == "" || slices.Contains(allowed, value) {
		return
	}
	var proposed any
	for _, one := range allowed {
		if strings.EqualFold(one, value) {
			proposed = one
		}
	}
	c.propose(r, path, proposed, "must be one of %s, not %q", listed(allowed), value)
}

// once reports the name of a list's element that another element has. An empty name is for other rules.
func (c *checked) once(r *Rule, seen map[string]bool, name, what string, path krm.Path) {
	if seen[name] && name != "" {
		c.report(r, path.Key("name"), "%s name %q must be unique: it is already taken", what, name)
	}
	seen[name] = true
}

// The functions below return what is wrong with a value, as words that begin with "must", and empty if nothing is. An
// empty text is valid: the rule "required" reports a value that must be set.

// checkPort checks a TCP port.
func checkPort(port int) string {
	if port < 1 || port > 65535 {
		return fmt.Sprintf("must be between 1 and 65535, not %d", port)
	}
	return ""
}
