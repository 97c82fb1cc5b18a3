package validate

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// ttlDuration: Sandbox spec, spec.ttl, and RouteGroup spec, spec.ttl.
var ttlDuration = Rule{
	ID: "ttl-duration", Severity: krm.Error,
	Demand:     "A ttl's duration is `<n><unit>`: n an unsigned number of 32 bits, the unit m, h, d or w.",
	Why:        "The server reads no other form of it.",
	Example:    "spec.ttl.duration: 90s",
	sandbox:    func(c *sandboxCheck) { c.duration(c.Spec.TTL) },
	routeGroup: func(c *routeGroupCheck) { c.duration(c.Spec.TTL) },
}

// ttlOffset: Sandbox spec, spec.ttl, and RouteGroup spec, spec.ttl.
var ttlOffset = Rule{
	ID: "ttl-offset", Severity: krm.Error,
	Demand:  "A ttl's offsetFrom is createdAt or updatedAt; that of a route group may be noMatchedSandboxes too.",
	Why:     "The server knows no other moment to count from.",
	Example: "spec.ttl.offsetFrom: deletedAt",
	sandbox: func(c *sandboxCheck) {
		if c.Spec.TTL != nil {
			c.oneOf("spec.ttl.offsetFrom", c.Spec.TTL.OffsetFrom, "createdAt", "updatedAt")
		}
	},
	routeGroup: func(c *routeGroupCheck) {
		if c.Spec.TTL != nil {
			c.oneOf("spec.ttl.offsetFrom", c.Spec.TTL.OffsetFrom, "noMatchedSandboxes", "createdAt", "updatedAt")
		}
	},
}

func (c *check) duration(ttl *v1alpha1.TTL) {
	if ttl == nil {
		return
	}
	if wrong := checkDuration(ttl.Duration); wrong != "" {
		c.report("spec.ttl.duration", "%s", wrong)
	}
}

func checkDuration(text string) string {
	digits := strings.TrimRight(text, "mhdw")
	if _, ok := decimal(digits, 1<<32-1); text == "" || ok && len(text) == len(digits)+1 {
		return ""
	}
	return fmt.Sprintf("must be a number of at most 32 bits and one of the units m, h, d and w, such as %q, not %q", "2d", text)
}
