package sandbox

// Spec is what a sandbox is made of. Source of every field: the Sandbox spec, and the newer fields of the vendor's
// public model.
type Spec struct {
	Cluster           string            `json:"cluster" required:"true"`
	Description       string            `json:"description"`
	Labels            map[string]string `json:"labels" was:"tags"`
	TTL               *TTL              `json:"ttl"`
	Forks             []Fork            `json:"forks" was:"workloads"`
	Endpoints         []HostEndpoint    `json:"endpoints"`
	DefaultRouteGroup *RouteGroup       `json:"defaultRouteGroup"`
	Local             []Local           `json:"local" was:"locals"`
	Virtual           []Virtual         `json:"virtual"`
	Middleware        []Middleware      `json:"middleware"`
	Routing           *Routing          `json:"routing"`
	Connection        *Connection       `json:"connection"`
	Resources         []Resource        `json:"resources" was:"resource"`
}

// TTL limits the sandbox's life.
type TTL struct {
	Duration   string `json:"duration" required:"true"`
	OffsetFrom string `json:"offsetFrom"`
}

// Resource is something that a plugin provides for the sandbox.
type Resource struct {
	Name string `json:"name" required:"true"`
	// Plugin is the reference `name[@version]`.
	Plugin string            `json:"plugin" required:"true"`
	Params map[string]string `json:"params"`
}

// Workload names a workload of the cluster.
type Workload struct {
	Kind      string `json:"kind" required:"true"`
	Namespace string `json:"namespace" required:"true"`
	Name      string `json:"name" required:"true"`
}

// Fork is a copy of a workload for this sandbox.
type Fork struct {
	Name           string          `json:"name"`
	ForkOf         Workload        `json:"forkOf" required:"true"`
	Customizations *Customizations `json:"customizations"`
	Endpoints      []ForkEndpoint  `json:"endpoints"`
}

// Customizations are the differences between a fork and its baseline.
type Customizations struct {
	Images []Image `json:"images"`
	Env    []Env   `json:"env"`
	Patch  *Patch  `json:"patch" was:"patches"`
}

// Image replaces a container's image; without a container, the first one's.
type Image struct {
	Container string `json:"container"`
	Image     string `json:"image" required:"true"`
}

// Env sets or deletes a variable of a container; without a container, of the first one.
type Env struct {
	Name      string     `json:"name" required:"true"`
	Container string     `json:"container"`
	Operation string     `json:"operation"`
	Value     string     `json:"value"`
	ValueFrom *EnvSource `json:"valueFrom"`
}

// EnvSource is where a variable's value comes from: exactly one of its fields.
type EnvSource struct {
	Resource  *ResourceOutput `json:"resource"`
	Fork      *ForkExpression `json:"fork"`
	ConfigMap *KeyReference   `json:"configMap"`
	Secret    *KeyReference   `json:"secret"`
}

// ResourceOutput names an output of a resource of this sandbox.
type ResourceOutput struct {
	Name string `json:"name" required:"true"`
	// OutputKey is `<step>.<output>` of the plugin's create phase.
	OutputKey string `json:"outputKey" required:"true"`
}

// ForkExpression takes a value from another fork.
type ForkExpression struct {
	ForkOf     Workload `json:"forkOf" required:"true"`
	Expression string   `json:"expression" required:"true"`
}

// KeyReference names a key of a ConfigMap or a Secret.
type KeyReference struct {
	Name     string `json:"name" required:"true"`
	Key      string `json:"key" required:"true"`
	Optional bool   `json:"optional"`
}

// Patch changes a fork after its images and variables.
type Patch struct {
	// Type is json, merge or strategic.
	Type string `json:"type" required:"true"`
	// Value holds the patch as JSON or YAML.
	Value string `json:"value" required:"true"`
}

// Virtual refers to a baseline workload without copying it.
type Virtual struct {
	Name     string   `json:"name" required:"true"`
	Workload Workload `json:"workload" required:"true"`
}

// Local runs a workload on the workstation of whoever submits the sandbox.
type Local struct {
	Name     string      `json:"name" required:"true"`
	From     Workload    `json:"from" required:"true"`
	Mappings []Mapping   `json:"mappings" required:"true"`
	Env      []Env       `json:"env"`
	Files    []LocalFile `json:"files"`
}

// Mapping sends a workload's port to an address of the workstation.
type Mapping struct {
	Port    int    `json:"port" required:"true"`
	ToLocal string `json:"toLocal" required:"true"`
}

// LocalFile is a file for a local workload.
type LocalFile struct {
	Path      string     `json:"path" required:"true"`
	Value     string     `json:"value"`
	ValueFrom *EnvSource `json:"valueFrom"`
}

// Connection names the machine that local workloads run on.
type Connection struct {
	DevboxID string `json:"devboxId"`
}
