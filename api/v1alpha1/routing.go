package v1alpha1

import (
	"net/url"
	"strings"
)

// HostEndpoint is a deprecated endpoint of the whole sandbox.
type HostEndpoint struct {
	// Name is the name of the endpoint.
	Name string `json:"name" required:"true"`
	// Host is a host name, which the cluster's DNS resolves, or an address.
	Host string `json:"host" required:"true"`
	// Port is the port of the host.
	Port int `json:"port" required:"true" quotable:"true"`
	// Protocol is the protocol of the port.
	Protocol string `json:"protocol"`
}

// ForkEndpoint is a deprecated endpoint of a fork.
type ForkEndpoint struct {
	// Name is the name of the endpoint.
	Name string `json:"name" required:"true"`
	// Port is a port of the fork's Pods.
	Port int `json:"port" required:"true" quotable:"true"`
	// Protocol is the protocol of the port.
	Protocol string `json:"protocol"`
}

// DefaultRouteGroup is the sandbox's own route group. It matches the sandbox, so it has no `match`.
type DefaultRouteGroup struct {
	// Endpoints are the named URLs of the sandbox.
	Endpoints []Endpoint `json:"endpoints"`
}

// Endpoint is a named URL of the route group.
type Endpoint struct {
	// Name is the name of the endpoint, unique in the sandbox.
	Name string `json:"name" required:"true"`
	// Target is the URL of a Service, or of a port of a workload: `http://NAME.NAMESPACE.deploy:PORT` or
	// `http://NAME.NAMESPACE.rollout:PORT`.
	Target string `json:"target" required:"true"`
}

// TargetWorkload returns the workload that a target names, in the forms http://NAME.NS.deploy:PORT and
// http://NAME.NS.rollout:PORT.
func TargetWorkload(target string) (w Workload, ok bool) {
	parsed, err := url.Parse(target)
	if err != nil {
		return Workload{}, false
	}
	labels := strings.Split(strings.ToLower(parsed.Hostname()), ".")
	n := len(labels)
	switch labels[n-1] {
	case "deploy":
		w.Kind = "Deployment"
	case "rollout":
		w.Kind = "Rollout"
	}
	if w.Kind == "" || n < 3 {
		return Workload{}, false
	}
	w.Namespace, w.Name = labels[n-2], strings.Join(labels[:n-2], ".")
	return w, w.Namespace != "" && w.Name != ""
}

// Middleware is applied to requests on their way to the sandbox's workloads.
type Middleware struct {
	// Name is the name of the middleware.
	Name string `json:"name" required:"true"`
	// Match selects the workloads whose requests it handles: those of any entry. Without entries it handles none.
	Match []MiddlewareMatch `json:"match"`
	// Args are its arguments.
	Args []MiddlewareArg `json:"args"`
}

// MiddlewareMatch selects workloads for a middleware.
type MiddlewareMatch struct {
	// Workload is a pattern of names of the sandbox's workloads, in which `*` matches any characters.
	Workload string `json:"workload"`
}

// MiddlewareArg is one argument of a middleware.
type MiddlewareArg struct {
	// Name is the name of the argument.
	Name string `json:"name" required:"true"`
	// Value is its value.
	Value string `json:"value"`
	// ValueFrom is the source of its value, in place of `value`.
	ValueFrom *ArgSource `json:"valueFrom"`
}

// ArgSource is the source of an argument's value.
type ArgSource struct {
	// Forward is the name of one of the sandbox's forwards.
	Forward string `json:"forward"`
}

// Routing has the addresses to which middleware forwards.
type Routing struct {
	// Forwards are the addresses, by their names.
	Forwards []Forward `json:"forwards"`
}

// Forward sends a workload's port to an address of the developer's machine.
//
// The client model requires none of its fields.
type Forward struct {
	// Name is the name by which an argument of a middleware refers to it.
	Name string `json:"name"`
	// Port is the port of the workload.
	Port int `json:"port" quotable:"true"`
	// ToLocal is the address on the machine.
	ToLocal string `json:"toLocal"`
	// AppProtocol is accepted and has no effect.
	AppProtocol string `json:"appProtocol"`
}
