package v1alpha1

import (
	"net/url"
	"strings"
)

// HostEndpoint is a deprecated endpoint of the sandbox as a whole.
type HostEndpoint struct {
	Name string `json:"name" required:"true"`
	// Host is resolved by the cluster's DNS.
	Host string `json:"host" required:"true"`
	Port int    `json:"port" required:"true" quotable:"true"`
	// Protocol is http or grpc.
	Protocol string `json:"protocol"`
}

// ForkEndpoint is a deprecated endpoint of a fork.
type ForkEndpoint struct {
	Name string `json:"name" required:"true"`
	Port int    `json:"port" required:"true" quotable:"true"`
	// Protocol is http or grpc.
	Protocol string `json:"protocol"`
}

// DefaultRouteGroup is the sandbox's own route group; it matches the sandbox itself, so it has no `match`.
type DefaultRouteGroup struct {
	Endpoints []Endpoint `json:"endpoints"`
}

// Endpoint is a named URL of the route group.
type Endpoint struct {
	Name string `json:"name" required:"true"`
	// Target is a URL of a service, or `http://NAME.NS.deploy:PORT` and `http://NAME.NS.rollout:PORT`.
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
	Name string `json:"name" required:"true"`
	// Match says which workloads' requests it sees: any of the entries. No entry means none.
	Match []MiddlewareMatch `json:"match"`
	Args  []MiddlewareArg   `json:"args"`
}

// MiddlewareMatch says which workloads' requests a middleware sees.
type MiddlewareMatch struct {
	// Workload is a glob over the names of the sandbox's workloads.
	Workload string `json:"workload"`
}

// MiddlewareArg is one argument of a middleware.
type MiddlewareArg struct {
	Name      string     `json:"name" required:"true"`
	Value     string     `json:"value"`
	ValueFrom *ArgSource `json:"valueFrom"`
}

// ArgSource is where an argument's value comes from.
type ArgSource struct {
	// Forward is the name of one of the sandbox's forwards.
	Forward string `json:"forward"`
}

// Routing holds how traffic is sent on.
type Routing struct {
	Forwards []Forward `json:"forwards"`
}

// Forward sends a workload's port to an address of the workstation. The client model requires none of its fields.
type Forward struct {
	Name        string `json:"name"`
	Port        int    `json:"port" quotable:"true"`
	ToLocal     string `json:"toLocal"`
	AppProtocol string `json:"appProtocol"`
}
