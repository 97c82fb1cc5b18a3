// Package contract holds the names that the renderer, the helpers in the rendered Pods and the users' tooling agree
// on: the API group and its kinds, annotations and labels, and what a rendered Pod looks like from inside. It has no
// dependencies, since the runtime module shares it.
package contract

// The API group of the project's documents and function configs.
const (
	Group      = "resourceplugins.dev"
	Version    = "v1alpha1"
	APIVersion = Group + "/" + Version
)

// VendorGroup is the API group of the vendor's operator. Its objects are not documents of this project.
const VendorGroup = "signadot.com"

// FormerPlugin is the kind of the vendor's plugins before 2023.
const FormerPlugin = "SignadotResourcePlugin"

// The kinds of the documents.
const (
	ResourcePlugin = "ResourcePlugin"
	Sandbox        = "Sandbox"
	RouteGroup     = "RouteGroup"
	Catalog        = "Catalog"
	PluginLock     = "PluginLock"
	PluginTest     = "PluginTest"
	ExternalPlugin = "ExternalPlugin"
)

// Project is the kind of the project file.
const Project = "Project"

// Annotations, and the labels among them, of what is rendered and of sandboxes.
const (
	SandboxKey    = Group + "/sandbox"    // label and annotation: the sandbox's name
	ResourceKey   = Group + "/resource"   // label and annotation: the sandbox resource's name
	PhaseKey      = Group + "/phase"      // label and annotation: create or delete
	StepKey       = Group + "/step"       // label and annotation: the step's name
	HelperKey     = Group + "/helper"     // label and annotation: copy or cleanup, of what runs no step
	CopyToKey     = Group + "/copy-to"    // on a copy Job: the namespace that it copies outputs to
	PluginKey     = Group + "/plugin"     // name@version, the version canonical
	DigestKey     = Group + "/digest"     // sha256:… of the plugin document
	DependsOnKey  = Group + "/depends-on" // the steps that this one waits for, comma-separated
	GenerationKey = Group + "/generation" // what the step is made from, as a hash
	RenderedByKey = Group + "/rendered-by"
	// RenderedWithKey is on what a config renders of the phase that it does not list: the phase that it lists.
	RenderedWithKey = Group + "/rendered-with"
	SandboxIDKey    = Group + "/sandbox-id"  // label and annotation: the sandbox's id; on a sandbox: overrides the derived id
	RoutingKeyKey   = Group + "/routing-key" // on a sandbox or route group: its own key; on routes and forks: whose
	RouteGroupKey   = Group + "/route-group" // label and annotation of routes: the route group's name
	StateKey        = Group + "/state"       // on a sandbox: absent renders its delete phase
	RequestedKey    = Group + "/requested"   // on a sandbox: the references as they were before resolution
	DigestsKey      = Group + "/digests"     // on a sandbox: the digests of what its references resolved to
	ForkKey         = Group + "/fork"        // label and annotation of forks and their Pods: the fork's own name
	BaselineKey     = Group + "/baseline"    // on forks and their Services: KIND/NAME of what they are a copy of
	PackageKey      = Group + "/package"     // on a package's metadata document: its image, NAME[:TAG][@DIGEST]
	PackagePartKey  = Group + "/package-of"  // on a package's other documents: the name of its metadata document
	AppliedByKey    = Group + "/applied-by"  // on documents of a package that are applied as they are: who made them so
	InstallKey      = Group + "/install"     // label and annotation of what installs a package: the request's name
	EndpointsKey    = Group + "/endpoints"   // on a sandbox or route group: its endpoints as NAME=URL,…, with %2C in URLs
)

// The label that every object has that we made.
const (
	ManagedByKey = "app.kubernetes.io/managed-by"
	ManagedBy    = "krm-functions"
)

// Variables that every script gets.
const (
	SandboxIDVariable    = "SIGNADOT_SANDBOX_ID"
	SandboxNameVariable  = "SIGNADOT_SANDBOX_NAME"
	ResourceNameVariable = "SIGNADOT_RESOURCE_NAME"
	RoutingKeyVariable   = "SIGNADOT_SANDBOX_ROUTING_KEY"
)

// StepVariables returns the variables that every script gets. They win over those of inputs and overlays.
func StepVariables() []string {
	return []string{SandboxIDVariable, SandboxNameVariable, RoutingKeyVariable, ResourceNameVariable}
}

// How a request carries a routing key: as the value of the header RoutingHeader, or as a member of that key in the list
// of the header BaggageHeader (W3C Baggage). A fork, too, finds its sandbox's key in RoutingKeyVariable.
const (
	RoutingHeader = "sd-routing-key"
	BaggageHeader = "baggage"
)

// Containers and volumes of a rendered Pod. The names with signadot-execunit are reserved by the ResourcePlugin spec.
const (
	MainContainer  = "main"
	InputManager   = "signadot-execunit-input-manager"
	OutputManager  = "signadot-execunit-output-manager"
	IOVolume       = "signadot-execunit-io"
	ScriptVolume   = "resourceplugins-script"
	ParamsVolume   = "resourceplugins-params"
	TokenVolume    = "resourceplugins-token"
	ScriptFolder   = "/var/run/resourceplugins/script"
	ScriptFile     = ScriptFolder + "/script"
	IOFolder       = "/var/run/resourceplugins/io"
	LocalConfigKey = "config.kubernetes.io/local-config"

	// BuildMarker begins the first line of files that rplug build writes.
	BuildMarker = "# rplug build wrote this file:"
)
