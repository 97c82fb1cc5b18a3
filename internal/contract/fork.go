package contract

// Annotations of forks, and of what asks for them.
const (
	ForkKey     = Group + "/fork"     // label and annotation of forks and their Pods: the fork's own name
	BaselineKey = Group + "/baseline" // on forks and their Services: KIND/NAME of what they are a copy of

	// EndpointsKey is on a sandbox or route group: NAME=URL of its endpoints, comma-separated; a comma in a URL is %2C.
	EndpointsKey = Group + "/endpoints"
)
