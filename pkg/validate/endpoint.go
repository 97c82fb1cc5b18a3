package validate

import (
	"iter"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// endpointUnique: Sandbox spec and RouteGroup spec, Global constraints: the names of endpoints are unique across the spec.
var endpointUnique = Rule{
	ID: "endpoint-unique", Severity: krm.Error,
	Demand:  "An endpoint's name is given once in a document: forks[].endpoints, endpoints and defaultRouteGroup together.",
	Why:     "The name becomes part of the endpoint's URL.",
	Example: "spec.defaultRouteGroup.endpoints[0].name: web-port",
	sandbox: func(c *sandboxCheck) {
		names := map[string]bool{}
		for e := range c.endpoints() {
			c.once(names, e.name, "endpoint", e.path)
		}
	},
	routeGroup: func(c *routeGroupCheck) {
		names := map[string]bool{}
		for i, e := range c.Spec.Endpoints {
			c.once(names, e.Name, "endpoint", groupEndpointPath(i))
		}
	},
}

// endpointPort: Sandbox spec, endpoints.
var endpointPort = Rule{
	ID: "endpoint-port", Severity: krm.Error,
	Demand:  "An endpoint's port is between 1 and 65535.",
	Why:     "There is no other port.",
	Example: "spec.endpoints[0].port: 80800",
	sandbox: func(c *sandboxCheck) {
		for e := range c.endpoints() {
			if wrong := checkPort(e.port); wrong != "" && !e.routed {
				c.report(e.path.Key("port"), "port %s", wrong)
			}
		}
	},
}

// endpointProtocol: Sandbox spec, endpoints.
var endpointProtocol = Rule{
	ID: "endpoint-protocol", Severity: krm.Error,
	Demand:  "An endpoint's protocol is http or grpc.",
	Why:     "The server knows no other.",
	Example: "spec.endpoints[0].protocol: tcp",
	sandbox: func(c *sandboxCheck) {
		for e := range c.endpoints() {
			if e.protocol != "" {
				c.oneOf(e.path.Key("protocol"), e.protocol, "http", "grpc")
			}
		}
	},
}

// endpoint is one of the three sorts of endpoints, and where it is.
type endpoint struct {
	name, protocol string
	port           int
	routed         bool // of the default route group: it has a target instead of a port and a protocol
	path           krm.Path
}

func (c *sandboxCheck) endpoints() iter.Seq[endpoint] {
	return func(yield func(endpoint) bool) {
		for i, fork := range c.Spec.Forks {
			for n, e := range fork.Endpoints {
				path := forkPath(i).Key("endpoints").Index(n)
				if !yield(endpoint{name: e.Name, protocol: e.Protocol, port: e.Port, path: path}) {
					return
				}
			}
		}
		for i, e := range c.Spec.Endpoints {
			path := hostEndpointPath(i)
			if !yield(endpoint{name: e.Name, protocol: e.Protocol, port: e.Port, path: path}) {
				return
			}
		}
		if c.Spec.DefaultRouteGroup == nil {
			return
		}
		for i, e := range c.Spec.DefaultRouteGroup.Endpoints {
			if path, _ := split(targetPath(i)); !yield(endpoint{name: e.Name, routed: true, path: path}) {
				return
			}
		}
	}
}
