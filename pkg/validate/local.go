package validate

import "github.com/resource-plugins/krm-functions/pkg/krm"

// localMappings: Sandbox spec, spec.local: the mappings field must be present.
var localMappings = Rule{
	ID: "local-mappings", Severity: krm.Error,
	Demand:  "A local workload maps at least one port.",
	Why:     "No request could reach the workstation.",
	Example: "spec.local[0].mappings: []",
	sandbox: func(c *sandboxCheck) {
		for i, local := range c.Spec.Local {
			if len(local.Mappings) == 0 {
				c.report(localPath(i).Key("mappings"),
					"must have at least one entry, such as {port: 8080, toLocal: %q}", "localhost:8080")
			}
		}
	},
}

// localAddress: Sandbox spec, spec.local: port is a workload port, toLocal a TCP address in host:port form.
var localAddress = Rule{
	ID: "local-address", Severity: krm.Error,
	Demand:  "A mapping's port is between 1 and 65535, and its toLocal is host:port; so it is for what routing forwards.",
	Why:     "There is no such address to send requests to.",
	Example: `spec.local[0].mappings[0].toLocal: "8080"`,
	sandbox: func(c *sandboxCheck) {
		for i, local := range c.Spec.Local {
			for n, mapping := range local.Mappings {
				path := localPath(i).Key("mappings").Index(n)
				if wrong := checkPort(mapping.Port); wrong != "" {
					c.report(path.Key("port"), "port %s", wrong)
				}
				c.address(path.Key("toLocal"), mapping.ToLocal)
			}
		}
		if c.Spec.Routing == nil {
			return
		}
		for i, forward := range c.Spec.Routing.Forwards {
			if forward.ToLocal != "" {
				c.address(krm.Path("spec.routing.forwards").Index(i).Key("toLocal"), forward.ToLocal)
			}
		}
	},
}

func (c *check) address(path krm.Path, address string) {
	if wrong := checkAddress(address); wrong != "" {
		c.report(path, "%s", wrong)
	}
}
