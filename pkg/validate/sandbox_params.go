package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// unknownParam and missingParam are about the params of sandboxes' resources and of tests' cases.
var unknownParam = Rule{
	ID: document.RuleUnknownParam, Severity: krm.Warning,
	Summary: "A param is one that an input of the plugin takes.",
	Why:     "No step would see it.",
	Sources: []string{pluginSpec},
	Example: "spec.resources[0].params.database: shop",
	checks: eachBinding(func(r *Rule, b *binding) {
		for param, message := range b.plugin.takes.Unknown(b.params) {
			b.on.ReportKey(r, b.path.Key("params").Key(param), "%s", message)
		}
	}),
}

var missingParam = Rule{
	ID: "missing-param", Severity: krm.Warning,
	Summary: "A param is given for each input that takes one, unless the step's script tests whether it is empty.",
	Why:     "The input would be empty.",
	Sources: []string{pluginSpec},
	Example: "spec.resources[0].params: {size: small}",
	checks: eachBinding(func(r *Rule, b *binding) {
		meant := map[string]bool{}
		for param := range b.params {
			meant[b.plugin.takes.Meant(param, b.params)] = true
		}
		for _, name := range slices.Sorted(maps.Keys(b.plugin.params)) {
			consumers := b.plugin.params[name]
			if _, given := b.params[name]; given || meant[name] || optional(consumers) {
				continue
			}
			b.on.Report(r, b.path.Key("params"), "param %q must be given: step %q of plugin %q takes it, and would get nothing",
				name, consumers[0].step.Name, b.plugin.Name)
		}
	}),
}

// eachBinding checks each resource of a sandbox and each case of a test whose plugin is known.
func eachBinding(do func(*Rule, *binding)) []check {
	return ofBindings(func(r *Rule, _ *documents, b *binding) {
		if b.known() {
			do(r, b)
		}
	})
}

// ofBindings checks each resource of all sandboxes and each case of all tests.
func ofBindings(do func(*Rule, *documents, *binding)) []check {
	both := [...]string{contract.Sandbox, contract.PluginTest}
	checks := make([]check, 0, len(both))
	for _, kind := range both {
		checks = append(checks, listCheck{kind, func(r *Rule, d *documents) {
			bindings := d.bindings()
			for i := range bindings {
				if bindings[i].kind() == kind {
					do(r, d, &bindings[i])
				}
			}
		}})
	}
	return checks
}

// optional reports whether each script that uses an input tests whether it is empty.
func optional(consumers []input) bool {
	for _, in := range consumers {
		if name := in.Env(); name == "" || !testsFor(in.step.Script, name) {
			return false
		}
	}
	return true
}

// testsFor reports whether a shell script tests whether a variable is empty, explicitly or by an expansion with a default.
func testsFor(script, variable string) bool {
	for _, form := range [...]string{
		`-z "$%s"`, `-n "$%s"`, `-z "${%s}"`, `-n "${%s}"`, `-z $%s`, `-n $%s`, `-z ${%s}`, `-n ${%s}`,
		`${%s:`, `${%s-`, `${%s+`, `"$%s" =`, `"${%s}" =`, `"$%s" !=`, `"${%s}" !=`,
	} {
		if strings.Contains(script, fmt.Sprintf(form, variable)) {
			return true
		}
	}
	return false
}
