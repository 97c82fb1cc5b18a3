package validate

import (
	"fmt"
	"net/url"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/form"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// endpointHost: Sandbox spec, spec.endpoints: a host name which will be resolved via DNS in the cluster.
var endpointHost = Rule{
	ID: "endpoint-host", Severity: krm.Error,
	Demand:  "An endpoint's host is a DNS name or an IP address, without scheme, port and path.",
	Why:     "Requests could not be sent there, or would be sent to another port.",
	Example: "spec.endpoints[0].host: events.shop.svc/api",
	sandbox: func(c *sandboxCheck) {
		for i, endpoint := range c.Spec.Endpoints {
			if wrong := form.Host(endpoint.Host); wrong != "" {
				c.report(hostEndpointPath(i).Key("host"), "host %s", wrong)
			}
		}
	},
}

// endpointTarget: Sandbox spec, defaultRouteGroup, and RouteGroup spec, spec.endpoints: the target is a URL.
var endpointTarget = Rule{
	ID: "endpoint-target", Severity: krm.Error,
	Demand: "An endpoint's target is a URL with a host, such as http://web.shop.svc:8080; in a sandbox also " +
		"http://web.shop.deploy:8080.",
	Why:     "Requests could not be sent anywhere.",
	Example: "spec.defaultRouteGroup.endpoints[0].target: web.shop.svc:8080",
	sandbox: func(c *sandboxCheck) {
		if c.Spec.DefaultRouteGroup == nil {
			return
		}
		for i, endpoint := range c.Spec.DefaultRouteGroup.Endpoints {
			if wrong := checkTarget(endpoint.Target); wrong != "" {
				c.report(targetPath(i), "%s", wrong)
			}
		}
	},
	routeGroup: func(c *routeGroupCheck) {
		for i, endpoint := range c.Spec.Endpoints {
			if wrong := checkTarget(endpoint.Target); wrong != "" {
				c.report(groupEndpointPath(i).Key("target"), "%s", wrong)
			}
		}
	},
}

func checkTarget(target string) string {
	if target == "" {
		return ""
	}
	parsed, err := url.Parse(target)
	if err != nil || parsed.Scheme == "" || parsed.Hostname() == "" || parsed.User != nil {
		return fmt.Sprintf("target must be a URL such as %q, not %q", "http://web.shop.svc:8080", target)
	}
	if port := parsed.Port(); port != "" {
		if number, ok := decimal(port, 65535); !ok || number == 0 {
			return fmt.Sprintf("target must have a port between 1 and 65535, not as %q does", target)
		}
	}
	return ""
}

// endpointWorkload: Sandbox spec, defaultRouteGroup: what differs from a RouteGroup are two additional target formats.
var endpointWorkload = Rule{
	ID: "endpoint-workload", Severity: krm.Warning,
	Demand:  "A route group's target does not name a workload, as http://web.shop.deploy:8080 does.",
	Why:     "The specification knows such targets in a sandbox's defaultRouteGroup only.",
	Example: "spec.endpoints[0].target: http://web.shop.deploy:8080",
	routeGroup: func(c *routeGroupCheck) {
		for i, endpoint := range c.Spec.Endpoints {
			if w, ok := v1alpha1.TargetWorkload(endpoint.Target); ok {
				c.report(groupEndpointPath(i).Key("target"), "target must name a Service by the specification, not the workload %q of "+
					"namespace %q: write a URL such as %q", w.Name, w.Namespace, "http://web.shop.svc:8080")
			}
		}
	},
}

func targetPath(i int) krm.Path {
	return krm.Path("spec.defaultRouteGroup.endpoints").Index(i).Key("target")
}

// hostEndpointPath and groupEndpointPath are the same place, in documents of different kinds.
func hostEndpointPath(i int) krm.Path  { return krm.Path("spec.endpoints").Index(i) }
func groupEndpointPath(i int) krm.Path { return krm.Path("spec.endpoints").Index(i) }
