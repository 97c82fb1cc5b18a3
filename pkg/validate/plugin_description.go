package validate

import "github.com/resource-plugins/krm-functions/pkg/krm"

var pluginDescription = Rule{
	ID: "plugin-description", Severity: krm.Warning,
	Demand:  "A plugin's description has at most 255 bytes.",
	Why:     "The specification says so, though longer ones are in use.",
	Sources: []string{pluginSpec},
	Example: "spec.description: (a text of more than 255 bytes)",
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		p.must(r, descriptionPath, "", checkLength(p.Spec.Description))
	})},
}
