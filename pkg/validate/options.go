package validate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Options change severities. The zero value keeps the default severity of each rule.
type Options struct {
	// Strict turns warnings into errors.
	Strict bool
	// Rules are levels by rule id: "error", "warning", or "off", which drops the rule's findings. A level here overrides
	// Strict. The level by ID/NAME is that of the rule for the documents of that name, and takes precedence.
	Rules map[string]string
	// Extensions are additional documents and rules.
	Extensions []Extension
}

// off is the level of a rule whose findings are dropped.
const off krm.Severity = "off"

// Validate returns the errors in the options, in the order of the ids.
func (o Options) Validate() (wrong krm.OptionErrors) {
	known := Rules(o.Extensions...)
	for _, id := range slices.Sorted(maps.Keys(o.Rules)) {
		level, option := krm.Severity(o.Rules[id]), krm.Path("rules").Key(id)
		switch {
		case known.Find(ruleOf(id)) == nil:
			wrong.Add(option, "%s", UnknownRule(ruleOf(id), o.Extensions...))
		case level != off && level != krm.Warning && level != krm.Error:
			wrong.Add(option, `the level of rule %q must be "off", "warning" or "error", not %q`, id, level)
		}
	}
	return wrong
}

// UnknownRule returns the message about an id that no rule has. It suggests similar ids and the command that lists them.
func UnknownRule(id string, extensions ...Extension) string {
	if FileRules(extensions...).Find(id) != nil {
		return fmt.Sprintf("rule %q is about what cannot be read, so it has no level and no exceptions", id)
	}
	near := nearIDs(id, Rules(extensions...).IDs())
	if len(near) == 0 {
		return fmt.Sprintf("there is no rule %q: validate-plugin --explain lists all", id)
	}
	return fmt.Sprintf("there is no rule %q: did you mean %s? validate-plugin --explain lists all", id,
		strings.Join(near, " or "))
}

// nearIDs returns similar ids, quoted: the one with a similar spelling, or the first ones that have a word in common.
func nearIDs(id string, all []string) []string {
	const mostNear, shortestWord = 3, 3
	if len(id) > strictyaml.MaxName {
		return nil
	}
	if nearest, _ := strictyaml.Nearest(id, all); nearest != "" {
		return []string{strconv.Quote(nearest)}
	}
	var near []string
	words := strings.Split(strings.ToLower(id), "-")
	for _, known := range all {
		if slices.ContainsFunc(words, func(word string) bool {
			return len(word) >= shortestWord && strings.Contains(known, word)
		}) {
			near = append(near, strconv.Quote(known))
		}
	}
	return near[:min(len(near), mostNear)]
}

// ruleOf returns the id of a rule from ID or ID/NAME.
func ruleOf(key string) string {
	id, _, _ := strings.Cut(key, "/")
	return id
}

// severity returns the severity of a finding in a document, given the default severity of its rule.
func (o Options) severity(rule, document string, byDefault krm.Severity) krm.Severity {
	for _, key := range []string{rule + "/" + document, rule} {
		if level, ok := o.Rules[key]; ok {
			return krm.Severity(level)
		}
	}
	if o.Strict && byDefault == krm.Warning {
		return krm.Error
	}
	return byDefault
}
