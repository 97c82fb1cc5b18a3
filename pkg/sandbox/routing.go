package sandbox

// HostEndpoint is a deprecated endpoint of the sandbox as a whole.
type HostEndpoint struct {
	Name     string `json:"name" required:"true"`
	Host     string `json:"host" required:"true"`
	Port     int    `json:"port" required:"true"`
	Protocol string `json:"protocol"`
}

// ForkEndpoint is a deprecated endpoint of a fork.
type ForkEndpoint struct {
	Name     string `json:"name" required:"true"`
	Port     int    `json:"port" required:"true"`
	Protocol string `json:"protocol"`
}

// RouteGroup is the sandbox's own route group; it matches the sandbox itself.
type RouteGroup struct {
	Endpoints []Endpoint `json:"endpoints"`
}

// Endpoint is a named URL of the route group.
type Endpoint struct {
	Name   string `json:"name" required:"true"`
	Target string `json:"target" required:"true"`
}

// Middleware is applied to requests on their way to the sandbox.
type Middleware struct {
	Name  string            `json:"name" required:"true"`
	Match []MiddlewareMatch `json:"match"`
	Args  []MiddlewareArg   `json:"args"`
}

// MiddlewareMatch says which workload's requests a middleware sees.
type MiddlewareMatch struct {
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
	Host   string `json:"host"`
	Header string `json:"header"`
}

// Routing holds how traffic is sent on.
type Routing struct {
	Forwards []Forward `json:"forwards"`
}

// Forward sends requests of one destination elsewhere.
type Forward struct {
	Name        string `json:"name"`
	Destination string `json:"destination"`
	Target      string `json:"target"`
}
