package validate

import "github.com/resource-plugins/krm-functions/pkg/krm"

const descriptionPath krm.Path = "spec.description"

// pluginDescription: ResourcePlugin spec, spec.description. The vendor's own plugins are longer, so it warns.
var pluginDescription = Rule{
	ID: "plugin-description", Severity: krm.Warning,
	Demand:  "A plugin's description has at most 255 bytes.",
	Why:     "The specification says so, though longer ones are in use.",
	Example: "spec.description: (a text of more than 255 bytes)",
	plugin: func(c *pluginCheck) {
		if wrong := checkLength(c.Spec.Description); wrong != "" {
			c.report(descriptionPath, "%s", wrong)
		}
	},
}

// sandboxDescription: Sandbox spec, spec.description.
var sandboxDescription = Rule{
	ID: "sandbox-description", Severity: krm.Error,
	Demand:  "A sandbox's description has at most 255 bytes.",
	Why:     "The server refuses a longer one.",
	Example: "spec.description: (a text of more than 255 bytes)",
	sandbox: func(c *sandboxCheck) {
		if wrong := checkLength(c.Spec.Description); wrong != "" {
			c.report(descriptionPath, "%s", wrong)
		}
	},
}

// sandboxCluster: Sandbox spec, spec.cluster.
var sandboxCluster = Rule{
	ID: "sandbox-cluster", Severity: krm.Error,
	Demand:  "A sandbox's cluster has at most 255 bytes.",
	Why:     "The server refuses a longer one.",
	Example: "spec.cluster: (a text of more than 255 bytes)",
	sandbox: func(c *sandboxCheck) {
		if wrong := checkLength(c.Spec.Cluster); wrong != "" {
			c.report("spec.cluster", "%s", wrong)
		}
	},
}
