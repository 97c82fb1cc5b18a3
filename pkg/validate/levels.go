package validate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Levels are the severities that the user configured. The zero value leaves every rule its own.
type Levels struct {
	strict bool
	byRule map[string]krm.Severity // Off drops the rule's findings
}

// LevelError is an entry of a config that cannot be applied.
type LevelError struct {
	// Rule is the id that the entry gives.
	Rule string
	// Message says what must be given instead.
	Message string
}

// Off is the level of a rule whose findings are dropped.
const Off krm.Severity = "off"

// ParseLevels reads a config: strict turns warnings into errors, and rules holds, by rule id, "off", "warning" or
// "error". A level given for a rule wins over strict. It returns the levels that could be read, and what is wrong with
// the others, in the order of the ids.
func ParseLevels(strict bool, rules map[string]string) (Levels, []LevelError) {
	levels := Levels{strict: strict, byRule: make(map[string]krm.Severity, len(rules))}
	var wrong []LevelError
	for _, id := range slices.Sorted(maps.Keys(rules)) {
		level := krm.Severity(rules[id])
		switch {
		case Find(id) == nil:
			wrong = append(wrong, LevelError{Rule: id, Message: unknownRule(id)})
		case level != Off && level != krm.Warning && level != krm.Error:
			wrong = append(wrong, LevelError{Rule: id,
				Message: fmt.Sprintf(`the level of rule %q must be "off", "warning" or "error", not %q`, id, rules[id])})
		default:
			levels.byRule[id] = level
		}
	}
	return levels, wrong
}

func unknownRule(id string) string {
	if nearest, _ := strictyaml.Nearest(id, IDs()); nearest != "" {
		return fmt.Sprintf("there is no rule %q: did you mean %q?", id, nearest)
	}
	return fmt.Sprintf("there is no rule %q: docs/rules.md lists all rules", id)
}

// of returns the severity of a finding whose rule gives it its own.
func (l Levels) of(rule string, own krm.Severity) krm.Severity {
	if level, ok := l.byRule[rule]; ok {
		return level
	}
	if l.strict && own == krm.Warning {
		return krm.Error
	}
	return own
}
