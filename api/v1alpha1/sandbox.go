package v1alpha1

// SandboxSpec is what a sandbox is made of. `required` follows the Sandbox spec alone: the client model requires next to
// nothing, and what it leaves open is not refused. The `aliases` are former keys, and wrong ones that are in use.
type SandboxSpec struct {
	// Cluster is the name of the cluster; at most 255 bytes, immutable.
	Cluster string `json:"cluster" required:"true"`
	// Description is for people; at most 255 bytes, immutable.
	Description string `json:"description"`
	// Labels are what sandboxes are found by.
	Labels map[string]string `json:"labels" aliases:"tags"`
	// TTL limits the sandbox's life; nil means no limit.
	TTL *TTL `json:"ttl"`
	// Forks are copies of workloads for this sandbox.
	Forks []Fork `json:"forks"`
	// Endpoints are the deprecated endpoints of hosts.
	Endpoints []HostEndpoint `json:"endpoints"`
	// DefaultRouteGroup holds the endpoints.
	DefaultRouteGroup *DefaultRouteGroup `json:"defaultRouteGroup"`
	// Local are workloads that run on a workstation. The spec's text once calls the field `locals`.
	Local []LocalWorkload `json:"local" aliases:"locals"`
	// LocalMachineID and Connection name the workstation: the older and the newer way.
	LocalMachineID string      `json:"localMachineID"`
	Connection     *Connection `json:"connection"`
	// Virtual are baseline workloads that take part without a copy.
	Virtual []VirtualWorkload `json:"virtual"`
	// Middleware handles requests on their way to the sandbox.
	Middleware []Middleware `json:"middleware"`
	// Routing holds what middleware forwards to.
	Routing *Routing `json:"routing"`
	// Resources are what plugins provide; immutable.
	Resources []SandboxResource `json:"resources" aliases:"resource"`
	// DisableSandboxTrafficManager is retired and still accepted.
	DisableSandboxTrafficManager bool `json:"disableSandboxTrafficManager"`
}

// TTL limits the sandbox's life.
type TTL struct {
	// Duration is `<n><unit>`, the unit m, h, d or w.
	Duration string `json:"duration" required:"true"`
	// OffsetFrom is createdAt (the default) or updatedAt.
	OffsetFrom string `json:"offsetFrom"`
}

// SandboxResource is something that a plugin provides for the sandbox.
type SandboxResource struct {
	Name string `json:"name" required:"true"`
	// Plugin is the reference `name[@version]`; without a version the highest one is meant.
	Plugin string `json:"plugin" required:"true"`
	// Params are what the plugin's steps take as inputs.
	Params map[string]string `json:"params"`
}

// Workload names a workload of the cluster.
type Workload struct {
	// Kind is Deployment, ArgoRollout or Rollout.
	Kind      string `json:"kind" required:"true"`
	Namespace string `json:"namespace" required:"true"`
	Name      string `json:"name" required:"true"`
}

// Plain returns the workload with one name for each kind: an ArgoRollout is a Rollout.
func (w Workload) Plain() Workload {
	if w.Kind == "ArgoRollout" {
		w.Kind = "Rollout"
	}
	return w
}

// Fork is a copy of a workload for this sandbox.
type Fork struct {
	// Name is optional; middleware matches it.
	Name           string          `json:"name"`
	ForkOf         Workload        `json:"forkOf" required:"true"`
	Customizations *Customizations `json:"customizations"`
	// Endpoints are deprecated: see DefaultRouteGroup.
	Endpoints []ForkEndpoint `json:"endpoints"`
}

// Customizations are the differences between a fork and its baseline, applied in the order of the fields.
type Customizations struct {
	Images []ContainerImage `json:"images"`
	Env    []Env            `json:"env"`
	Patch  *WorkloadPatch   `json:"patch" aliases:"patches"`
}

// ContainerImage replaces a container's image.
type ContainerImage struct {
	// Container is the container's name; empty means the first one of the Pod.
	Container string `json:"container"`
	Image     string `json:"image" required:"true"`
}

// WorkloadPatch changes a fork after its images and variables.
type WorkloadPatch struct {
	// Type is json, merge or strategic; newer ones are signadot/env and signadot/image.
	Type string `json:"type" required:"true"`
	// Value holds the patch as JSON or YAML.
	Value string `json:"value" required:"true"`
}

// VirtualWorkload is a baseline workload that takes part in the sandbox without a copy.
type VirtualWorkload struct {
	Name     string   `json:"name" required:"true"`
	Workload Workload `json:"workload" required:"true"`
}

// LocalWorkload runs a workload on the workstation of whoever submits the sandbox.
type LocalWorkload struct {
	Name string   `json:"name" required:"true"`
	From Workload `json:"from" required:"true"`
	// Mappings must have at least one entry.
	Mappings []PortMapping `json:"mappings" required:"true"`
	Env      []Env         `json:"env"`
	Files    []LocalFile   `json:"files"`
}

// PortMapping sends a workload's port to an address of the workstation.
type PortMapping struct {
	Port int `json:"port" required:"true" quotable:"true"`
	// ToLocal is `host:port`.
	ToLocal string `json:"toLocal" required:"true"`
	// AppProtocol is in Signadot's client model, undocumented.
	AppProtocol string `json:"appProtocol"`
}

// LocalFile is a file for a local workload.
type LocalFile struct {
	Path      string      `json:"path" required:"true"`
	Value     string      `json:"value"`
	ValueFrom *FileSource `json:"valueFrom"`
}

// Connection names the machine that local workloads run on.
type Connection struct {
	DevboxID string `json:"devboxId"`
}
