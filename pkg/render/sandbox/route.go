// Package route makes the routes by which traffic finds the forks of sandboxes. A request that carries the routing key of
// a sandbox, or of a route group that matches the sandbox, goes to the sandbox's fork of the service it is for; every
// other request goes to the baseline, as it would without us.
//
// From the sandboxes and route groups comes a table: for each baseline Service its forks, each under one key. The table
// is printed as HTTPRoutes of the Gateway API, one for each key and port, so that sandboxes rendered apart do not touch
// one another's; or as VirtualServices of Istio, one for each Service, since two for one host are not merged.
package sandbox

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/manifest"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Mode says what routes become.
type Mode string

// The modes.
const (
	None       Mode = "none"        // no objects; endpoints are still listed
	GatewayAPI Mode = "gateway-api" // HTTPRoutes, gateway.networking.k8s.io/v1
	Istio      Mode = "istio"       // VirtualServices, networking.istio.io/v1
)

// Modes are all of them.
var Modes = []Mode{None, GatewayAPI, Istio}

// Options are what a user can choose.
type RouteOptions struct {
	Mode Mode
	// RenderedBy is the value of the annotation contract.RenderedByKey.
	RenderedBy string
	// Headers are those that a request may carry the key in, each one of Headers(). Empty means DefaultHeaders().
	Headers []string
	// Cluster is the one that is rendered; empty where it is not known. Endpoints of route groups in another are left out.
	Cluster string
	// Gateway publishes the endpoints under host names of their own; nil leaves them inside the mesh.
	Gateway *Gateway
}

// Gateway is a Gateway of the Gateway API or of Istio, as the mode is, that endpoints are published at.
type Gateway struct {
	Namespace, Name string
	// Domain is what the endpoints' host names end in: ENDPOINT--KEY.DOMAIN.
	Domain string
	// Scheme of the endpoints' URLs: http (the default) or https.
	Scheme string
}

// Sandbox is a sandbox with what is forked for it.
type RoutedSandbox struct {
	*document.Sandbox
	// Key is the routing key: see SandboxKey.
	Key string
	// Services are the forked Services, one for each baseline Service that selects a forked workload.
	Services []RoutedService
}

// Group is a route group.
type RoutedGroup struct {
	*document.RouteGroup
	// Key is the routing key: see GroupKey.
	Key string
	// Services are those in front of the workloads that its targets name, forked or not.
	Services []RoutedService
}

// Service is a baseline Service and its fork, both in one namespace.
type RoutedService struct {
	// Workload is the baseline: fork endpoints and targets such as http://NAME.NS.deploy:PORT mean it.
	Workload v1alpha1.Workload
	// Namespace, Baseline and Fork name the two Services; a group's have no fork.
	Namespace, Baseline, Fork string
	// Ports are those of the baseline Service; the fork has the same.
	Ports []RoutedPort
}

// Port is a port of a Service.
type RoutedPort struct {
	Name   string
	Number int
	// Target is the number of the container's port; 0 where it is not known.
	Target int
	// Protocol is TCP (also when empty), UDP or SCTP. AppProtocol is the Service's appProtocol.
	Protocol, AppProtocol string
}

// Output is what Render makes.
type Routes struct {
	// Objects are the Services' routes by namespace, baseline Service, port and key, whatever the order of the documents;
	// then those of the endpoints, in the order of Endpoints.
	Objects []RouteObject
	// Endpoints are in the order of the documents and of their fields.
	Endpoints []RoutedEndpoint
	// Findings are in the order of the documents. With an error among them the objects must not be used.
	Findings []Finding
}

// Object is a rendered object.
type RouteObject struct {
	Kind, Namespace, Name string
	// Sandbox is the name of the sandbox that the object is for, Group that of the route group; both are empty where it
	// serves several.
	Sandbox, Group string
	Tree           manifest.Map
}

// Endpoint is a URL that leads into a sandbox or a route group.
type RoutedEndpoint struct {
	// Item is the document that lists it, at At.
	Item *krm.Item
	At   krm.Path
	Name string
	// URL is where to send requests. With Keyed it carries the key by its host name; else the request must carry Key.
	URL   string
	Key   string
	Keyed bool
}

// Finding is something that a user must know.
type Finding struct {
	Item     *krm.Item
	At       krm.Path
	Severity krm.Severity
	Message  string
}
