package validate

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Rules for the expectations of a test's cases.

var expectationForm = Rule{
	ID: "expectation-form", Severity: krm.Error,
	Summary: "An output is expected to be at most one of equals, matches, nonEmpty and absent, and an exit code is at most " +
		"255.",
	Why:     "It could not be all of them.",
	Sources: []string{},
	Example: "spec.cases[0].create.outputs[0]: {step: provision, output: host, equals: shop, nonEmpty: true}",
	checks: []check{pluginTestCheck(func(r *Rule, t *pluginTest) {
		for _, out := range t.outputs {
			if n := count(out.Equals != nil, out.Matches != "", out.NonEmpty, out.Absent); n > 1 {
				t.Report(r, out.path, "must have at most one of equals, matches, nonEmpty and absent, not %d of them", n)
			}
		}
		for _, expected := range t.expectations {
			if expected.Fails != nil && (expected.Fails.ExitCode < 0 || expected.Fails.ExitCode > 255) {
				t.Report(r, expected.path.Key("fails").Key("exitCode"), "must be between 0 and 255, not %d", expected.Fails.ExitCode)
			}
		}
	})},
}

var expectationPattern = Rule{
	ID: "expectation-pattern", Severity: krm.Error,
	Summary: "A pattern of an expectation is a regular expression that RE2 accepts.",
	Why:     "Nothing could be compared with it.",
	Sources: []string{"https://github.com/google/re2/wiki/Syntax"},
	Example: `spec.cases[0].create.outputs[0]: {step: provision, output: host, matches: "db-("}`,
	checks: []check{pluginTestCheck(func(r *Rule, t *pluginTest) {
		for _, out := range t.outputs {
			t.pattern(r, out.path.Key("matches"), out.Matches)
		}
		for _, expected := range t.expectations {
			if expected.Fails != nil {
				t.pattern(r, expected.path.Key("fails").Key("message"), expected.Fails.Message)
			}
		}
	})},
}

func (t *pluginTest) pattern(r *Rule, path krm.Path, text string) {
	if _, err := regexp.Compile(text); err != nil {
		reason := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		t.Report(r, path, "must be a regular expression, not %q: %s", text, reason)
	}
}

var expectedStep = Rule{
	ID: "expected-step", Severity: krm.Error,
	Summary: "A step that a case expects something of is in that phase of the plugin, and an output is one of that step.",
	Why:     "The expectation could never be met.",
	Example: "spec.cases[0].create.outputs[0]: {step: provision, output: hots}",
	Sources: []string{pluginSpec},
	checks: []check{listCheck{contract.PluginTest, func(r *Rule, d *documents) {
		for _, b := range d.bindings() {
			if b.test == nil || b.pluginPath == "" || !b.known() {
				continue
			}
			for _, out := range b.test.outputs {
				b.expectsOutput(r, out)
			}
			for _, expected := range b.test.expectations {
				if expected.Fails != nil {
					b.findStep(r, expected.phase, expected.path.Key("fails").Key("step"), expected.Fails.Step)
				}
			}
		}
	}}},
}

// expectsOutput reports an output that the plugin does not have.
func (b *binding) expectsOutput(r *Rule, out expectedOutput) {
	step := b.findStep(r, out.phase, out.path.Key("step"), out.Step)
	if step == nil {
		return
	}
	outputs := b.plugin.outputNames(step)
	if _, exists := outputs.at[out.Output]; exists {
		return
	}
	otherwise := "it has none"
	if len(outputs.all) > 0 {
		otherwise = "its outputs are " + strictyaml.Listed(outputs.all)
	}
	problem := fmt.Sprintf("step %q has no output", out.Step)
	b.test.suggest(r, out.path.Key("output"), problem, out.Output, outputs.all, otherwise)
}

// findStep returns the step of a phase with a name. An unknown name is reported.
func (b *binding) findStep(r *Rule, phase v1alpha1.Phase, path krm.Path, name string) *v1alpha1.Step {
	steps := b.plugin.workflowNames(phase)
	if i, exists := steps.at[name]; exists {
		return &b.plugin.Spec.Workflow(phase)[i]
	}
	otherwise := "the phase has none"
	if len(steps.all) > 0 {
		otherwise = "its steps are " + strictyaml.Listed(steps.all)
	}
	problem := fmt.Sprintf("the %s phase of plugin %q has no step", phase, b.plugin.Name)
	b.test.suggest(r, path, problem, name, steps.all, otherwise)
	return nil
}

// names are those of a list, with the index of the first item of each.
type names struct {
	all []string
	at  map[string]int
}

func newNames[T any](list []T, name func(*T) string) *names {
	n := &names{all: make([]string, len(list)), at: make(map[string]int, len(list))}
	for i := range list {
		n.all[i] = name(&list[i])
		if _, exists := n.at[n.all[i]]; !exists {
			n.at[n.all[i]] = i
		}
	}
	return n
}

// workflowNames returns the names of the steps of a phase; tests look up many.
func (p *plugin) workflowNames(phase v1alpha1.Phase) *names {
	if p.workflows[phase] == nil {
		p.workflows[phase] = newNames(p.Spec.Workflow(phase), func(s *v1alpha1.Step) string { return s.Name })
	}
	return p.workflows[phase]
}

// outputNames returns the names of the outputs of a step.
func (p *plugin) outputNames(step *v1alpha1.Step) *names {
	if p.produced[step] == nil {
		p.produced[step] = newNames(step.Outputs, func(o *v1alpha1.Output) string { return o.Name })
	}
	return p.produced[step]
}
