package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// suggest reports an unknown name, followed by the most likely candidate, or else by otherwise.
func (c *Document) suggest(r *Rule, path krm.Path, nothing, name string, candidates []string, otherwise string) {
	if name == "" {
		return // reported by the rule "required"
	}
	nearest, sure := strictyaml.Suggest(name, candidates)
	if nearest == "" {
		c.Report(r, path, "%s %q: %s", nothing, name, otherwise)
		return
	}
	c.Propose(r, path, certain(nearest, sure), "%s %q: did you mean %q?", nothing, name, nearest)
}

// certain returns a value to propose, or nil if it is not certain.
func certain(value string, sure bool) any {
	if sure {
		return value
	}
	return nil
}

// OneOf reports a value that is set but not permitted, and proposes one that differs only in case.
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

// Once reports the name of a list's element that another element has. Empty names are reported by other rules.
func (c *Document) Once(r *Rule, seen map[string]bool, name, what string, path krm.Path) {
	if seen[name] && name != "" {
		c.Report(r, path.Key("name"), "%s name %q must be unique: it is already taken", what, name)
	}
	seen[name] = true
}

// The functions below return the problem of a value as a text that starts with "must", or "" for a valid value. An empty
// text is valid: the rule "required" reports missing values.

// checkPort checks a TCP port.
func checkPort(port int) string {
	if port < 1 || port > 65535 {
		return fmt.Sprintf("must be between 1 and 65535, not %d", port)
	}
	return ""
}
