package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
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
	case slices.ContainsFunc(from.Spec.Delete, func(s v1alpha1.Step) bool { return s.Name == step }):
		c.report(path, "an outputKey must be of a create step: %q of plugin %q is a delete step, which runs when the sandbox ends",
			step, from.Name)
	default:
		c.suggest(path, fmt.Sprintf("plugin %q has no output", from.Name), key, keys, "its outputs are "+listed(keys))
	}
}

// known tells whether the plugin is there, and read as a whole.
func (p *provision) known() bool { return p.plugin != nil && len(p.plugin.doubt.broken) == 0 }

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
