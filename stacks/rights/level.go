package rights

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

// levels are the levels of the rule.
var levels = []krm.Severity{krm.Error, krm.Warning, off}

// off is the level of a rule without findings.
const off krm.Severity = "off"

// CheckLevels returns the errors in levels by rule id. It ignores the levels of other rules, which a project file also has.
func CheckLevels(rules map[string]string) (wrong krm.OptionErrors) {
	for _, key := range slices.Sorted(maps.Keys(rules)) {
		id, _, _ := strings.Cut(key, "/")
		if id == Rule && !slices.Contains(levels, krm.Severity(rules[key])) {
			wrong.Add(krm.Path("rules").Key(key), `the level of rule %q must be "off", "warning" or "error", not %q`, key, rules[key])
		}
	}
	return wrong
}

// Results are the findings of a package with their level: that of the rule for the package, else that of the rule, else
// error. They are about its metadata document.
func Results(p *pack.Package, rules map[string]string) (results krm.Results) {
	level := krm.Error
	for _, key := range []string{Rule, Rule + "/" + p.Name} {
		if set, ok := rules[key]; ok {
			level = krm.Severity(set)
		}
	}
	if level == off {
		return nil
	}
	for _, f := range Check(p) {
		result := krm.At(p.Metadata, f.Field, level, f.Message+Accept(p, level))
		result.Tags = map[string]string{krm.RuleTag: Rule}
		results = append(results, result)
	}
	return results
}

// Accept explains how to accept the rights of a package, if they are an error.
func Accept(p *pack.Package, level krm.Severity) string {
	if level != krm.Error {
		return ""
	}
	return fmt.Sprintf("; to accept it, set rules: %s/%s=warning", Rule, p.Name)
}
