package validate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Options are how severities are chosen. The zero value leaves each rule its own.
type Options struct {
	// Strict turns warnings into errors.
	Strict bool
	// Rules are levels by rule id: "error", "warning", or "off", which drops the rule's findings. A level here overrides
	// Strict.
	Rules map[string]string
}

// off is the level of a rule whose findings are dropped.
const off krm.Severity = "off"

// Validate returns what is wrong with the options, in the order of the ids.
func (o Options) Validate() (wrong krm.OptionErrors) {
	for _, id := range slices.Sorted(maps.Keys(o.Rules)) {
		level, option := krm.Severity(o.Rules[id]), krm.Path("rules").Key(id)
		switch {
		case Find(id) == nil:
			wrong.Add(option, "%s", unknownRule(id))
		case level != off && level != krm.Warning && level != krm.Error:
			wrong.Add(option, `the level of rule %q must be "off", "warning" or "error", not %q`, id, level)
		}
	}
	return wrong
}

func unknownRule(id string) string {
	if nearest, _ := strictyaml.Nearest(id, IDs()); nearest != "" {
		return fmt.Sprintf("there is no rule %q: did you mean %q?", id, nearest)
	}
	return fmt.Sprintf("there is no rule %q: docs/rules.md lists all rules", id)
}

// severity returns the severity of a finding, given the severity that its rule has by default.
func (o Options) severity(rule string, byDefault krm.Severity) krm.Severity {
	if level, ok := o.Rules[rule]; ok {
		return krm.Severity(level)
	}
	if o.Strict && byDefault == krm.Warning {
		return krm.Error
	}
	return byDefault
}
