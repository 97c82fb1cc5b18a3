package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// suggest reports that there is no such name, with the candidate that is likely to be meant, or else with otherwise.
func (c *Document) suggest(r *Rule, path krm.Path, nothing, name string, candidates []string, otherwise string) {
	if name == "" {
		return // for the rule "required"
	}
	nearest, sure := strictyaml.Suggest(name, candidates)
	if nearest == "" {
		c.Report(r, path, "%s %q: %s", nothing, name, otherwise)
		return
	}
	c.Propose(r, path, certain(nearest, sure), "%s %q: did you mean %q?", nothing, name, nearest)
}

// certain is a value to propose, nil if it is only likely.
func certain(value string, sure bool) any {
	if sure {
		return value
	}
	return nil
}

// OneOf reports a value that is given and not allowed, and proposes the one that differs only in case.
func (c *Document) OneOf(r *Rule, path krm.Path, value string, allowed ...string) {
	if value == "" || slices.Contains(allowed, value) {
		return
	}
	var proposed any
	for _, one := range allowed {
		if strings.EqualFold(one, value) {
			proposed = one
		}
	}
	c.Propose(r, path, proposed, "must be one of %s, not %q", strictyaml.Listed(allowed), value)
}

// Once reports the name of a list's element that another element has. An empty name is for other rules.
func (c *Document) Once(r *Rule, seen map[string]bool, name, what string, path krm.Path) {
	if seen[name] && name != "" {
		c.Report(r, path.Key("name"), "%s name %q must be unique: it is already taken", what, name)
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
