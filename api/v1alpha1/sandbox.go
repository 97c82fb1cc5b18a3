package v1alpha1

// SandboxSpec is the definition of a sandbox.
//
// `required` follows only the Sandbox spec: the client model requires almost nothing, and optional fields are not
// rejected. The `aliases` are former keys, and wrong ones that are in use.
type SandboxSpec struct {
	// Cluster is the name of the cluster. It is part of the identity of the sandbox and immutable.
	Cluster string `json:"cluster" required:"true"`
	// Description documents the purpose of the sandbox. It is immutable.
	Description string `json:"description"`
	// Labels are the labels by which route groups match the sandbox, and users find it.
	Labels map[string]string `json:"labels" aliases:"tags"`
	// TTL is the time after which the sandbox may be deleted; nil means no limit. rplug expire counts it by the
	// clock of Git and marks the document absent; the option `expiry: cluster` lets the cluster tear the sandbox down. Without
	// either, only kube-janitor counts it, for forks.
	TTL *TTL `json:"ttl"`
	// Forks are copies of workloads of the cluster, with changes, for this sandbox.
	Forks []Fork `json:"forks"`
	// Endpoints are deprecated: use `defaultRouteGroup`. They are endpoints of hosts of the cluster.
	Endpoints []HostEndpoint `json:"endpoints"`
	// DefaultRouteGroup is the sandbox's own route group: it has the sandbox's endpoints.
	DefaultRouteGroup *DefaultRouteGroup `json:"defaultRouteGroup"`
	// Local are workloads that run on a developer's machine in place of those of the cluster. They are checked, but not
	// rendered.
	Local []LocalWorkload `json:"local" aliases:"locals"`
	// LocalMachineID is the machine on which local workloads run, in its older form. It is checked, but not rendered.
	LocalMachineID string `json:"localMachineID"`
	// Connection is the machine on which local workloads run, in its newer form. It is checked, but not rendered.
	Connection *Connection `json:"connection"`
	// Virtual are baseline workloads that take part without a copy. They are checked, but not rendered.
	Virtual []VirtualWorkload `json:"virtual"`
	// Middleware are handlers of requests on their way to the sandbox. They are checked, but not rendered.
	Middleware []Middleware `json:"middleware"`
	// Routing has the addresses to which middleware forwards. It is checked, but not rendered.
	Routing *Routing `json:"routing"`
	// Resources are the resources that plugins create for the sandbox. They are immutable.
	Resources []SandboxResource `json:"resources" aliases:"resource"`
	// DisableSandboxTrafficManager is accepted and has no effect: Signadot has retired it.
	DisableSandboxTrafficManager bool `json:"disableSandboxTrafficManager"`
}

// TTL limits the lifetime of a sandbox or a route group.
type TTL struct {
	// Duration is the lifetime, in minutes, hours, days or weeks.
	Duration string `json:"duration" required:"true"`
	// OffsetFrom is the start of the duration. The default is createdAt, and for a route group noMatchedSandboxes.
	OffsetFrom string `json:"offsetFrom"`
}

// SandboxResource is a resource that a plugin provides for the sandbox.
type SandboxResource struct {
	// Name is the name of the resource, unique in the sandbox. Forks refer to its outputs by it.
	Name string `json:"name" required:"true"`
	// Plugin is the plugin: a name, or NAME@VERSION with a version, a range or a channel, such as `hello-db@^1`. A name
	// without a version means the highest version.
	Plugin string `json:"plugin" required:"true"`
	// Params are the values of the inputs of the plugin's steps that have `valueFromSandbox`.
	Params map[string]string `json:"params"`
}

// Workload names a workload of the cluster.
type Workload struct {
	// Kind is the kind of the workload. ArgoRollout and Rollout are both a Rollout of Argo.
	Kind string `json:"kind" required:"true"`
	// Namespace is the namespace of the workload.
	Namespace string `json:"namespace" required:"true"`
	// Name is the name of the workload.
	Name string `json:"name" required:"true"`
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
	// Name is a name by which middleware matches the fork. It is not the name of the rendered workload.
	Name string `json:"name"`
	// ForkOf is the baseline: the workload that is copied.
	ForkOf Workload `json:"forkOf" required:"true"`
	// Customizations are the changes of the copy.
	Customizations *Customizations `json:"customizations"`
	// Endpoints are deprecated: see DefaultRouteGroup. They are endpoints of ports of the fork.
	Endpoints []ForkEndpoint `json:"endpoints"`
}

// Customizations are the differences between a fork and its baseline, applied in the order of the fields.
type Customizations struct {
	// Images are the images of containers.
	Images []ContainerImage `json:"images"`
	// Env are variables of containers.
	Env []Env `json:"env"`
	// Patch is a patch of the whole workload. It cannot change the fork's name and selectors.
	Patch *WorkloadPatch `json:"patch" aliases:"patches"`
}

// ContainerImage replaces a container's image.
type ContainerImage struct {
	// Container is the name of the container or init container; empty means the first container of the Pod.
	Container string `json:"container"`
	// Image is the new image.
	Image string `json:"image" required:"true"`
}

// WorkloadPatch changes a fork after its images and variables.
type WorkloadPatch struct {
	// Type is the kind of patch. `json`, `merge` and `strategic` do what `kubectl patch` does; `signadot/env` and
	// `signadot/image` are lists like `env` and `images`.
	Type string `json:"type" required:"true"`
	// Value is the patch, as JSON or YAML in a text.
	Value string `json:"value" required:"true"`
}

// VirtualWorkload is a baseline workload that takes part in the sandbox without a copy.
type VirtualWorkload struct {
	// Name is the name of the virtual workload.
	Name string `json:"name" required:"true"`
	// Workload is the baseline.
	Workload Workload `json:"workload" required:"true"`
}

// LocalWorkload is a workload that runs on the machine of the user who submits the sandbox.
type LocalWorkload struct {
	// Name is the name of the local workload.
	Name string `json:"name" required:"true"`
	// From is the workload of the cluster that it replaces.
	From Workload `json:"from" required:"true"`
	// Mappings are the ports that are sent to the machine.
	Mappings []PortMapping `json:"mappings" required:"true"`
	// Env are variables of the process.
	Env []Env `json:"env"`
	// Files are files of the process.
	Files []LocalFile `json:"files"`
}

// PortMapping sends a workload's port to an address of the developer's machine.
type PortMapping struct {
	// Port is the port of the workload.
	Port int `json:"port" required:"true" quotable:"true"`
	// ToLocal is the address on the machine.
	ToLocal string `json:"toLocal" required:"true"`
	// AppProtocol is accepted and has no effect: it is in Signadot's client model, without documentation.
	AppProtocol string `json:"appProtocol"`
}

// LocalFile is a file for a local workload.
type LocalFile struct {
	// Path is the path of the file.
	Path string `json:"path" required:"true"`
	// Value is the content of the file.
	Value string `json:"value"`
	// ValueFrom is the source of the content, in place of `value`.
	ValueFrom *FileSource `json:"valueFrom"`
}

// Connection names the machine on which local workloads run.
type Connection struct {
	// DevboxID is the id of a devbox of Signadot.
	DevboxID string `json:"devboxId"`
}
