package v1alpha1

// RouteGroupSpec is what a route group is made of.
type RouteGroupSpec struct {
	// Cluster is at most 255 bytes; empty means that the group spans clusters.
	Cluster string `json:"cluster"`
	// Description is for people; at most 255 bytes.
	Description string `json:"description"`
	// Match says which sandboxes take part.
	Match *RouteGroupMatch `json:"match" required:"true"`
	// Endpoints are the URLs of the group.
	Endpoints []RouteEndpoint `json:"endpoints"`
	// TTL limits the group's life; its OffsetFrom is noMatchedSandboxes (the default), createdAt or updatedAt.
	TTL *TTL `json:"ttl"`
}

// RouteGroupMatch is exactly one of its fields.
type RouteGroupMatch struct {
	Label *LabelMatch `json:"label"`
	// Any holds if one of the entries does, All if every one does.
	Any []RouteGroupMatch `json:"any"`
	All []RouteGroupMatch `json:"all"`
}

// LabelMatch holds for sandboxes that have a label.
type LabelMatch struct {
	Key string `json:"key" required:"true"`
	// Value is a glob.
	Value string `json:"value" required:"true"`
}

// RouteEndpoint is a named URL of a route group.
type RouteEndpoint struct {
	Name   string `json:"name" required:"true"`
	Target string `json:"target" required:"true"`
	// Cluster is where the target is, in a group that spans clusters.
	Cluster string `json:"cluster"`
}
