// Package contract holds the names on which the renderer, the helpers in the rendered Pods and the users' tooling
// agree: the API group and its kinds, annotations and labels, and the paths and variables inside of a rendered Pod. It
// has no dependencies, since the runtime module shares it.
package contract

import (
	"strconv"
	"strings"
)

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
	OutputSecret   = "OutputSecret"
)

// Project is the kind of the project file.
const Project = "Project"

// Annotations and labels. Each comment lists the objects, and after a colon the value: docs/reference/annotations.md is
// generated from them. A label has the value of the annotation, or if that is not a valid label, a sanitized one that
// ends in a hash.
const (
	// a sandbox: `absent` renders its delete phase in place of the create phase
	StateKey = Group + "/state"
	// a sandbox: delete steps that are given up, `RESOURCE/STEP` separated by commas; the rest of the delete phase runs without
	// them
	SkipDeleteKey = Group + "/skip-delete"
	// a sandbox: `after-create` keeps the Pods of its forks from starting until all create steps are done, and not only those
	// whose outputs they use
	ForkStartKey = Group + "/fork-start"
	// a sandbox, or as label and annotation a rendered object: the sandbox's id; on a sandbox it replaces the id that is
	// derived from cluster and name
	SandboxIDKey = Group + "/sandbox-id"
	// a sandbox or a route group: its routing key, in place of the derived one; on forks and routes the key that leads to them
	RoutingKeyKey = Group + "/routing-key"
	// a plugin: the type of its outputs, such as `postgresql`; [outputs of plugins](outputs.md) lists them
	TypeKey = Group + "/type"
	// a sandbox or an install request: the references that `resolve-version` has replaced, as a JSON object by resource
	RequestedKey = Group + "/requested"
	// a sandbox or an install request: the digests of its resolved references, as a JSON object by resource
	DigestsKey = Group + "/digests"
	// a sandbox or a route group: its endpoints as `NAME=URL`, separated by commas; a comma in a URL is `%2C`
	EndpointsKey = Group + "/endpoints"
	// the metadata document of a Crossplane package: its image, `NAME[:TAG][@DIGEST]`
	PackageKey = Group + "/package"
	// the other documents of a Crossplane package: the name of its metadata document
	PackagePartKey = Group + "/package-of"

	// rendered objects, label and annotation: the name of the sandbox
	SandboxKey = Group + "/sandbox"
	// rendered objects, label and annotation: the name of the sandbox's resource
	ResourceKey = Group + "/resource"
	// rendered objects, label and annotation: `create` or `delete`
	PhaseKey = Group + "/phase"
	// rendered objects, label and annotation: the name of the step
	StepKey = Group + "/step"
	// objects of Jobs that run no step, label and annotation: `copy`, `cleanup` or `forks`
	HelperKey = Group + "/helper"
	// a copy Job, or the Pod of a copy with an engine of the cluster: the namespace to which it copies outputs
	CopyToKey = Group + "/copy-to"
	// rendered objects: the plugin, `NAME@VERSION`
	PluginKey = Group + "/plugin"
	// rendered objects: the digest of the plugin's document
	DigestKey = Group + "/digest"
	// a Job or Pod of a step: the steps that it waits for, separated by commas
	DependsOnKey = Group + "/depends-on"
	// a Job or Pod of a step, and its Secret: a hash of everything that the step depends on; on the Secret, the generation that
	// may publish there
	GenerationKey = Group + "/generation"
	// rendered objects: the name of the function config that rendered them; only that config replaces or removes them
	RenderedByKey = Group + "/rendered-by"
	// objects of another phase than the config lists, such as the Secrets in a delete phase: the phase that it lists
	RenderedWithKey = Group + "/rendered-with"
	// forks and their Pods, label and annotation: the name of the fork
	ForkKey = Group + "/fork"
	// forks and their Services: the object they are a copy of, `KIND/NAME`
	BaselineKey = Group + "/baseline"
	// routes, label and annotation: the name of the route group
	RouteGroupKey = Group + "/route-group"
	// objects that install or remove a package, label and annotation: the name of the request
	InstallKey = Group + "/install"
	// the ConfigMap of a sandbox that expires in the cluster: the duration of its ttl
	TTLKey = Group + "/ttl"
	// the same ConfigMap: the start of the ttl, createdAt or updatedAt
	TTLOffsetKey = Group + "/ttl-offset-from"
	// documents of a package that are applied as they are: the name of the function config that made them so
	AppliedByKey = Group + "/applied-by"
)

// Absent and Present are the values of StateKey. A document without the annotation is present.
const (
	Absent  = "absent"
	Present = "present"
)

// The label that every object has that we made.
const (
	ManagedByKey = "app.kubernetes.io/managed-by"
	ManagedBy    = "krm-functions"
)

// Variables of every script.
const (
	SandboxIDVariable    = "SIGNADOT_SANDBOX_ID"
	SandboxNameVariable  = "SIGNADOT_SANDBOX_NAME"
	ResourceNameVariable = "SIGNADOT_RESOURCE_NAME"
	RoutingKeyVariable   = "SIGNADOT_SANDBOX_ROUTING_KEY"
)

// StepVariables returns the variables of every script. They take precedence over those of inputs and overlays.
func StepVariables() []string {
	return []string{SandboxIDVariable, SandboxNameVariable, RoutingKeyVariable, ResourceNameVariable}
}

// A request carries a routing key as the value of the header RoutingHeader, or as a member of that key in the list of
// the header BaggageHeader (W3C Baggage). A fork also has its sandbox's key in RoutingKeyVariable.
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

	// outputsVolume is the prefix of the names of volumes with outputs of other steps.
	outputsVolume = "resourceplugins-outputs-"

	// BuildMarker is the prefix of the first line of files that rplug build writes.
	BuildMarker = "# rplug build wrote this file:"
)

// OutputsVolume is the volume with outputs of the Plan's producer i, for engines that mount them.
func OutputsVolume(i int) string { return outputsVolume + strconv.Itoa(i) }

// IsOutputsVolume reports whether a volume has such a name.
func IsOutputsVolume(name string) bool { return strings.HasPrefix(name, outputsVolume) }
