package validate

import (
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// required: ResourcePlugin spec, Sandbox spec and RouteGroup spec for each field. Package decode finds it.
var required = Rule{
	ID: strictyaml.RuleRequired, Severity: krm.Error,
	Demand:  "What the specification requires is given, and not empty.",
	Why:     "The server refuses the document.",
	Example: "spec.runner: {namespace: tools}",
}
