package validate

import (
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
	Summary: "A param is given for each input that takes one, unless the step's script has a default or tests whether it is " +
		"empty.",
	Why:     "The input would be empty.",
	Sources: []string{pluginSpec},
	Example: "spec.resources[0].params: {size: small}",
	checks: eachBinding(func(r *Rule, b *binding) {
		given := map[string]bool{}
		for param := range b.params {
			given[param], given[b.plugin.takes.Meant(param, b.params)] = true, true
		}
		missing := missingFrom(b.plugin.needed, given)
		for _, name := range missing[:min(len(missing), mostMissing)] {
			b.on.Report(r, b.path.Key("params"), "param %q must be given: step %q of plugin %q takes it, and would get nothing",
				name, b.plugin.params[name][0].step.Name, b.plugin.Name)
		}
		if len(missing) > mostMissing {
			b.on.Report(r, b.path.Key("params"), "all params of plugin %q must be given: more than %d are missing",
				b.plugin.Name, mostMissing)
		}
	}),
}

// mostMissing is the number of missing params that are reported for a resource. Without it, the findings about n resources
// with n params each would be n×n.
const mostMissing = 50

// missingFrom returns the first of the needed params that are not given, one more than are reported.
func missingFrom(needed []string, given map[string]bool) (missing []string) {
	for _, name := range needed {
		if !given[name] {
			missing = append(missing, name)
		}
		if len(missing) > mostMissing {
			break
		}
	}
	return missing
}

// eachBinding checks the resources of all sandboxes, and the cases of all tests, whose plugin is known one by one.
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
