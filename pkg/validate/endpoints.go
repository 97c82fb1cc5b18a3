package validate

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Rules for forks[].endpoints, endpoints and defaultRouteGroup of sandboxes, and for the endpoints of route groups.

var endpointUnique = Rule{
	ID: "endpoint-unique", Severity: krm.Error,
	Summary: "An endpoint's name is given once in a document: forks[].endpoints, endpoints and defaultRouteGroup together.",
	Why:     "The name becomes part of the endpoint's URL.",
	Example: "spec.defaultRouteGroup.endpoints[0].name: web-port",
	checks: ofEndpoints(func(r *Rule, c *Document, endpoints []endpoint) {
		names := map[string]bool{}
		for _, e := range endpoints {
			c.Once(r, names, e.name, "endpoint", e.path)
		}
	}),
}

// ofEndpoints checks the endpoints of sandboxes and of route groups.
func ofEndpoints(do func(*Rule, *Document, []endpoint)) []check {
	return []check{
		sandboxCheck(func(r *Rule, s *sandbox) { do(r, &s.Document, s.endpoints) }),
		routeGroupCheck(func(r *Rule, g *routeGroup) { do(r, &g.Document, g.endpoints) }),
	}
}

var endpointPort = Rule{
	ID: "endpoint-port", Severity: krm.Error,
	Summary: "An endpoint's port is between 1 and 65535.",
	Why:     "There is no other port.",
	Example: "spec.endpoints[0].port: 80800",
	checks: []check{sandboxCheck(func(r *Rule, s *sandbox) {
		for _, e := range s.endpoints {
			if !e.routed {
				s.Must(r, e.path.Key("port"), "port", checkPort(e.port))
			}
		}
	})},
}

var endpointProtocol = Rule{
	ID: "endpoint-protocol", Severity: krm.Error,
	Summary: "An endpoint's protocol is http or grpc.",
	Why:     "Signadot knows no other.",
	Example: "spec.endpoints[0].protocol: tcp",
	checks: []check{sandboxCheck(func(r *Rule, s *sandbox) {
		for _, e := range s.endpoints {
			s.OneOf(r, e.path.Key("protocol"), e.protocol, "http", "grpc")
		}
	})},
}

var endpointHost = Rule{
	ID: "endpoint-host", Severity: krm.Error,
	Summary: "An endpoint's host is a DNS name or an IP address, without scheme, port and path.",
	Why:     "Requests could not be sent there, or would be sent to another port.",
	Example: "spec.endpoints[0].host: events.shop.svc/api",
	checks: []check{sandboxCheck(func(r *Rule, s *sandbox) {
		for i, e := range s.Spec.Endpoints {
			s.Must(r, endpointPath(i).Key("host"), "host", document.CheckHost(e.Host))
		}
	})},
}

var endpointTarget = Rule{
	ID: "endpoint-target", Severity: krm.Error,
	Summary: "An endpoint's target is a URL with a host, such as http://web.shop.svc:8080; in a sandbox also " +
		"http://web.shop.deploy:8080.",
	Why:     "Requests could not be sent anywhere.",
	Example: "spec.defaultRouteGroup.endpoints[0].target: web.shop.svc:8080",
	checks: ofEndpoints(func(r *Rule, c *Document, endpoints []endpoint) {
		for _, e := range endpoints {
			c.Must(r, e.path.Key("target"), "target", checkTarget(e.target))
		}
	}),
}

func checkTarget(target string) string {
	if target == "" {
		return ""
	}
	parsed, err := url.Parse(target)
	if err != nil || parsed.Scheme == "" || parsed.Hostname() == "" || parsed.User != nil {
		return fmt.Sprintf("must be a URL such as %q, not %q", "http://web.shop.svc:8080", target)
	}
	if port := parsed.Port(); port != "" && !isPort(port) {
		return fmt.Sprintf("must have a port between 1 and 65535, not as %q does", target)
	}
	return ""
}

// isPort reports whether digits are a TCP port.
func isPort(digits string) bool {
	port, err := strconv.ParseUint(digits, 10, 16)
	return err == nil && port > 0
}

var endpointWorkload = Rule{
	ID: "endpoint-workload", Severity: krm.Warning,
	Summary: "A route group's target does not name a workload, as http://web.shop.deploy:8080 does.",
	Why:     "The specification allows such targets in a sandbox's defaultRouteGroup only.",
	Sources: []string{routeGroupSpec, sandboxSpec},
	Example: "spec.endpoints[0].target: http://web.shop.deploy:8080",
	checks: []check{routeGroupCheck(func(r *Rule, g *routeGroup) {
		for _, e := range g.endpoints {
			if w, ok := v1alpha1.TargetWorkload(e.target); ok {
				g.Report(r, e.path.Key("target"), "target must name a Service by the specification, not the workload %q of "+
					"namespace %q: write a URL such as %q", w.Name, w.Namespace, "http://web.shop.svc:8080")
			}
		}
	})},
}
