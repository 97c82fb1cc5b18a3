package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// allRules is the value of --explain that lists all rules, even if it has none.
const allRules = "list"

// explaining is the flag of functions with rules.
type explaining struct {
	Explain string `json:"explain" arg:"[RULE]" help:"describe rules, or list all, and read nothing"`
}

// explains reports whether the function has the flag. Another function may have a field of that name in its config.
func (r *run) explains() bool { return r.isLinter() && r.Rules != nil }

// checkExplain takes the arguments as ids of rules, and refuses other flags.
func (r *run) checkExplain() error {
	if given := givenExcept(r.flags, "explain"); given != "" {
		return fmt.Errorf("--explain must be without --%s: it only describes rules", given)
	}
	if r.Explain != allRules {
		r.paths = append([]string{r.Explain}, r.paths...)
	}
	var wrong flagErrors
	for _, id := range r.paths {
		if id != allRules && r.Rules.Find(id) == nil {
			wrong.add("--explain", validate.UnknownRule(id, extension.Rules(r.Extensions)...))
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	return nil
}

// explanation describes the rules that --explain names, or lists all.
func (r *run) explanation() string {
	var b strings.Builder
	if len(r.paths) == 0 || slices.Contains(r.paths, allRules) {
		column := 0
		for _, rule := range r.Rules {
			column = max(column, len(rule.ID))
		}
		for _, rule := range r.Rules {
			b.WriteString(wrap(fmt.Sprintf("%-*s  ", column, rule.ID), rule.Summary))
		}
		return b.String()
	}
	for i, id := range r.paths {
		if i > 0 {
			b.WriteString("\n")
		}
		writeRule(&b, r.Rules.Find(id))
	}
	return b.String()
}

// writeRule describes a rule.
func writeRule(b *strings.Builder, rule *validate.Rule) {
	fmt.Fprintf(b, "%s: %s, %s\n", rule.ID, rule.Severity, strings.Join(rule.Kinds, ", "))
	b.WriteString(wrap("  ", rule.Summary))
	b.WriteString(wrap("  ", rule.Why))
	fmt.Fprintf(b, "  example: %s\n", rule.Example)
	for _, source := range rule.Sources {
		fmt.Fprintf(b, "  source:  %s\n", source)
	}
	if rule.Page != "" {
		fmt.Fprintf(b, "  page:    %s\n", rule.Page)
	}
}
