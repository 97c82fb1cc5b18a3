package rule

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/decode"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/plugin"
)

// unknownPlugin: Sandbox spec, spec.resources: a plugin that is installed. A list without plugins tells nothing, and one
// with some may still lack those that are published elsewhere, so it warns.
var unknownPlugin = Rule{
	ID: "unknown-plugin", Severity: krm.Warning,
	Demand:  "Where a list holds plugins, it holds those that its sandboxes name, in a version that they admit.",
	Why:     "The reference would not be resolved; a sandbox that is checked alone is not asked for its plugins.",
	Example: "spec.resources[0].plugin: helo-db",
	sandboxes: func(c *acrossCheck) {
		for p := range c.provisions() {
			if p.plugin != nil || p.unsure {
				continue
			}
			name, path := p.reference.Bare, p.path().Key("plugin")
			if versions := c.installed.versions(name); len(versions) > 0 {
				c.report(&p.by.check, path, "plugin %q has no version %q: there are %s", name, p.reference.Selector, listed(versions))
				continue
			}
			p.by.rule = c.rule
			p.by.suggest(path, "there is no plugin", name, c.installed.near(name), "the list has "+listed(c.installed.names))
		}
	},
}

// unknownOutputKey: Sandbox reference, env: the key is `<step>.<output>` of the plugin's create phase.
var unknownOutputKey = Rule{
	ID: "unknown-output-key", Severity: krm.Error,
	Demand:  "An outputKey is one that a create step of the resource's plugin produces.",
	Why:     "The workload would wait for a value that nobody writes.",
	Example: "spec.forks[0].customizations.env[1].valueFrom.resource.outputKey: provision.hots",
	sandboxes: func(c *acrossCheck) {
		chosen := map[*sandboxCheck]map[string]*pluginCheck{}
		for p := range c.provisions() {
			if !p.known() {
				continue
			}
			if chosen[p.by] == nil {
				chosen[p.by] = map[string]*pluginCheck{}
			}
			chosen[p.by][p.by.Spec.Resources[p.index].Name] = p.plugin
		}
		for _, s := range c.sandboxes {
			s.rule = c.rule
			for path, output := range s.outputs() {
				if from := chosen[s][output.Name]; from != nil {
					s.knownOutput(path.Key("outputKey"), output.OutputKey, from)
				}
			}
		}
	},
}

func (c *sandboxCheck) knownOutput(path krm.Path, key string, from *pluginCheck) {
	step, _, dotted := strings.Cut(key, ".")
	keys := from.outputKeys()
	switch {
	case !dotted || slices.Contains(keys, key):
	case slices.ContainsFunc(from.Spec.Delete, func(s plugin.Step) bool { return s.Name == step }):
		c.report(path, "an outputKey must be of a create step: %q of plugin %q is a delete step, which runs when the sandbox ends",
			step, from.Name)
	default:
		c.suggest(path, fmt.Sprintf("plugin %q has no output", from.Name), key, keys, "its outputs are "+listed(keys))
	}
}

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
	step  *plugin.Step
	input *plugin.Input
}

// params returns who takes each param.
func (c *pluginCheck) params() map[string][]taker {
	if c.takers != nil {
		return c.takers
	}
	c.takers = map[string][]taker{}
	for _, step := range c.Spec.Steps() {
		for i := range step.Inputs {
			if input := &step.Inputs[i]; input.ValueFromSandbox {
				c.takers[input.Name] = append(c.takers[input.Name], taker{step: step, input: input})
			}
		}
	}
	return c.takers
}

// known tells whether the plugin is there, and read as a whole.
func (p *provision) known() bool { return p.plugin != nil && len(p.plugin.doubt.broken) == 0 }

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
	nearest, _ := decode.Nearest(param, free)
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

// outputKeys returns what sandboxes can name, in the order of declaration.
func (c *pluginCheck) outputKeys() []string {
	if c.keys == nil {
		for _, step := range c.Spec.Create {
			for _, output := range step.Outputs {
				c.keys = append(c.keys, step.Name+"."+output.Name)
			}
		}
	}
	return c.keys
}
