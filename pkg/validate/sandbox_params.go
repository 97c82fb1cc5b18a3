package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// unknownParam and missingParam are about the params of a sandbox's resources.
var unknownParam = Rule{
	ID: "unknown-param", Severity: krm.Warning,
	Summary: "A param is one that an input of the plugin takes.",
	Why:     "No step would see it.",
	sources: []string{pluginSpec},
	Example: "spec.resources[0].params.database: shop",
	checks: eachBinding(func(r *Rule, b *binding) {
		for _, param := range slices.Sorted(maps.Keys(b.params)) {
			if b.plugin.params[param] != nil {
				continue
			}
			advice := "its inputs are " + listed(slices.Sorted(maps.Keys(b.plugin.params)))
			if meant := b.meant(param); meant != "" {
				advice = fmt.Sprintf("did you mean %q?", meant)
			}
			b.sandbox.reportKey(r, b.path.Key("params").Key(param), "plugin %q has no input for param %q: %s",
				b.plugin.Name, param, advice)
		}
	}),
}

var missingParam = Rule{
	ID: "missing-param", Severity: krm.Warning,
	Summary: "A param is given for each input that takes one, unless the step's script tests whether it is empty.",
	Why:     "The input would be empty.",
	sources: []string{pluginSpec},
	Example: "spec.resources[0].params: {size: small}",
	checks: eachBinding(func(r *Rule, b *binding) {
		meant := map[string]bool{}
		for param := range b.params {
			meant[b.meant(param)] = true
		}
		for _, name := range slices.Sorted(maps.Keys(b.plugin.params)) {
			consumers := b.plugin.params[name]
			if _, given := b.params[name]; given || meant[name] || optional(consumers) {
				continue
			}
			b.sandbox.report(r, b.path.Key("params"), "param %q must be given: step %q of plugin %q takes it, and would get nothing",
				name, consumers[0].step.Name, b.plugin.Name)
		}
	}),
}

// eachBinding checks the resources of all sandboxes whose plugin is known one by one.
func eachBinding(do func(*Rule, *binding)) []check {
	return []check{listCheck{contract.Sandbox, func(r *Rule, d *documents) {
		bindings := d.bindings()
		for i := range bindings {
			if bindings[i].known() {
				do(r, &bindings[i])
			}
		}
	}}}
}

// meant returns the input that a param which no input takes is likely to be for.
func (b *binding) meant(param string) string {
	inputs := b.plugin.params
	if inputs[param] != nil || tooLong(param) || len(inputs) > mostCandidates || len(b.params) > mostCandidates {
		return ""
	}
	free := slices.DeleteFunc(slices.Sorted(maps.Keys(inputs)), func(name string) bool {
		_, given := b.params[name]
		return given || tooLong(name)
	})
	nearest, _ := strictyaml.Nearest(param, free)
	return nearest
}

// optional reports whether each script that gets an input tests whether it is empty.
func optional(consumers []input) bool {
	for _, in := range consumers {
		if name := in.Env(); name == "" || !testsFor(in.step.Script, name) {
			return false
		}
	}
	return true
}

// testsFor reports whether a shell script asks whether a variable is empty: by a test, or by an expansion with a default.
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
