package rule

import (
	"github.com/resource-plugins/krm-functions/pkg/decode"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// required: ResourcePlugin spec, Sandbox spec and RouteGroup spec for each field. Package decode finds it.
var required = Rule{
	ID: decode.RuleRequired, Severity: krm.Error,
	Demand:  "What the specification requires is given, and not empty.",
	Why:     "The server refuses the document.",
	Example: "spec.runner: {namespace: tools}",
}
