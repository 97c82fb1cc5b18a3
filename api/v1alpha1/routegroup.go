package v1alpha1

// RouteGroupSpec is the definition of a route group.
type RouteGroupSpec struct {
	// Cluster is the name of the cluster; empty means that the group spans clusters.
	Cluster string `json:"cluster"`
	// Description documents the purpose of the group; it has no effect.
	Description string `json:"description"`
	// Match selects the sandboxes of the group.
	Match *RouteGroupMatch `json:"match" required:"true"`
	// Endpoints are the URLs of the group.
	Endpoints []RouteEndpoint `json:"endpoints"`
	// TTL is the time after which the group may be deleted. Its OffsetFrom is noMatchedSandboxes by default.
	TTL *TTL `json:"ttl"`
}

// RouteGroupMatch is exactly one of its fields.
type RouteGroupMatch struct {
	// Label is a label that a sandbox must have.
	Label *LabelMatch `json:"label"`
	// Any are alternatives: at least one must match.
	Any []RouteGroupMatch `json:"any"`
	// All are conditions that must all match.
	All []RouteGroupMatch `json:"all"`
}

// LabelMatch matches sandboxes that have a label.
type LabelMatch struct {
	// Key is the key of the label.
	Key string `json:"key" required:"true"`
	// Value is a pattern of the label's value: `*` matches any characters, `?` one.
	Value string `json:"value" required:"true"`
}

// RouteEndpoint is a named URL of a route group.
type RouteEndpoint struct {
	// Name is the name of the endpoint, unique in the group.
	Name string `json:"name" required:"true"`
	// Target is the URL of a Service.
	Target string `json:"target" required:"true"`
	// Cluster is the cluster of the target, in a group that spans clusters.
	Cluster string `json:"cluster"`
}
