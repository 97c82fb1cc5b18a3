package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// unknownParam: ResourcePlugin reference, Step: whether such a param is refused is unknown.
var unknownParam = Rule{
	ID: "unknown-param", Severity: krm.Warning,
	Demand:  "A param is one that an input of the plugin takes.",
	Why:     "No step would ever see it.",
	Example: "spec.resources[0].params.database: shop",
	sandboxes: func(c *acrossCheck) {
		for p := range c.provisions() {
			if !p.known() {
				continue
			}
			inputs := p.plugin.params()
			for _, param := range slices.Sorted(maps.Keys(p.params())) {
				if inputs[param] != nil {
					continue
				}
				advice := "its inputs are " + listed(slices.Sorted(maps.Keys(inputs)))
				if meant := p.meant(param); meant != "" {
					advice = fmt.Sprintf("did you mean %q?", meant)
				}
				c.report(&p.by.check, p.path().Key("params").Key(param), "plugin %q has no input for param %q: %s",
					p.plugin.Name, param, advice)
			}
		}
	},
}

// missingParam: ResourcePlugin reference, Step: such an input arrives empty. A script that tests for that says itself that
// the param may be left out.
var missingParam = Rule{
	ID: "missing-param", Severity: krm.Warning,
	Demand:  "A param feeds each input that takes one, unless the step's script tests whether it is empty.",
	Why:     "The input arrives empty.",
	Example: "spec.resources[0].params: {size: small}",
	sandboxes: func(c *acrossCheck) {
		for p := range c.provisions() {
			if !p.known() {
				continue
			}
			meant := map[string]bool{}
			for param := range p.params() {
				meant[p.meant(param)] = true
			}
			inputs := p.plugin.params()
			for _, name := range slices.Sorted(maps.Keys(inputs)) {
				if _, given := p.params()[name]; given || meant[name] || optional(inputs[name]) {
					continue
				}
				step := inputs[name][0].step.Name
				c.report(&p.by.check, p.path().Key("params"),
					"param %q must be given: step %q of plugin %q takes it, and would get nothing", name, step, p.plugin.Name)
			}
		}
	},
}

// taker is an input that takes a param, and its step.
type taker struct {
	step  *v1alpha1.Step
	input *v1alpha1.Input
}

// params returns who takes each param.
func (c *pluginCheck) params() map[string][]taker {
	if c.takers != nil {
		return c.takers
	}
	c.takers = map[string][]taker{}
	for _, step := range document.Steps(&c.Spec) {
		for i := range step.Inputs {
			if input := &step.Inputs[i]; input.ValueFromSandbox {
				c.takers[input.Name] = append(c.takers[input.Name], taker{step: step, input: input})
			}
		}
	}
	return c.takers
}

func (p *provision) params() map[string]string { return p.by.Spec.Resources[p.index].Params }

// meant returns the input that a param which no input takes is likely to be for.
func (p *provision) meant(param string) string {
	inputs := p.plugin.params()
	if inputs[param] != nil || tooLong(param) || len(inputs) > mostCandidates || len(p.params()) > mostCandidates {
		return ""
	}
	free := slices.DeleteFunc(slices.Sorted(maps.Keys(inputs)), func(name string) bool {
		_, given := p.params()[name]
		return given || tooLong(name)
	})
	nearest, _ := strictyaml.Nearest(param, free)
	return nearest
}

// optional tells whether each script that gets an input tests whether it is empty.
func optional(takers []taker) bool {
	for _, t := range takers {
		if name := t.input.Env(); name == "" || !testsFor(t.step.Script, name) {
			return false
		}
	}
	return true
}

// testsFor tells whether a shell script asks whether a variable is empty: by a test, or by an expansion with a default.
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
