// Package render turns the steps of a plugin's phase into plain Kubernetes objects: a Job or Pod for each step, and what
// it needs. What the sandboxes that use one version of a plugin have in common is worked out once, as a Blueprint; for
// each resource of a sandbox only what differs is built.
//
// A step without step-inputs and outputs is bare: nothing of ours is in its Pod but a volume with the script. Where
// data flows, helpers wait for the inputs, run the script and publish its outputs; package contract says what they are
// told. Where steps have left outputs, the delete phase ends with a cleanup that removes them, and what other namespaces
// use of them is copied there.
package render

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/manifest"
)

// Workload is the kind of object that a step becomes.
type Workload string

// The workloads.
const (
	Job Workload = "Job"
	Pod Workload = "Pod"
)

// DefaultHelperImage is the image of the helpers in Pods whose step has step-inputs or outputs.
const DefaultHelperImage = contract.RuntimeImage

// DefaultStepTimeout is how long a step may run once its inputs are there, in seconds: a managed database takes a
// quarter of an hour to come up.
const DefaultStepTimeout = 1800

// Options are the choices for a whole render. The zero value of each is its default.
type Options struct {
	// Workload defaults to Job.
	Workload Workload
	// RunnerNamespace replaces the namespace of every plugin's runner.
	RunnerNamespace string
	// Namespaces maps runners' namespaces to those to use instead; RunnerNamespace goes before it.
	Namespaces map[string]string
	// HelperImage defaults to DefaultHelperImage.
	HelperImage string
	// ImagePullSecrets are the names of Secrets for the images, beside those of the overlay.
	ImagePullSecrets []string
	// RenderedBy is the name of the function config, for the annotation of that name.
	RenderedBy string
	// StepTimeout defaults to DefaultStepTimeout, in seconds. An overlay's activeDeadlineSeconds goes before it.
	StepTimeout int
	// StartTimeout is how long main may take to start, in seconds; it defaults to DefaultStartTimeoutSeconds of the
	// contract.
	StartTimeout int
	// Retries is how often a failed Job runs again; 0 by default, since scripts are rarely safe to repeat.
	Retries int
	// TTL is how many seconds after their end Jobs are removed; nil leaves them. What is removed, a tool that keeps the
	// cluster like its render makes anew.
	TTL *int
}

func (o Options) withDefaults() Options {
	if o.Workload == "" {
		o.Workload = Job
	}
	if o.HelperImage == "" {
		o.HelperImage = DefaultHelperImage
	}
	if o.StepTimeout == 0 {
		o.StepTimeout = DefaultStepTimeout
	}
	if o.StartTimeout == 0 {
		o.StartTimeout = contract.DefaultStartTimeoutSeconds
	}
	return o
}

// namespace returns where the steps of a runner's namespace go.
func (o Options) namespace(runner string) string {
	if o.RunnerNamespace != "" {
		return o.RunnerNamespace
	}
	if other := o.Namespaces[runner]; other != "" {
		return other
	}
	return runner
}

// Request is a resource of a sandbox.
type Request struct {
	// Sandbox is the sandbox's name, lower-cased as the server folds it.
	Sandbox string
	// SandboxID is what scripts name external things after.
	SandboxID string
	// Resource is the name of the resource.
	Resource string
	// Params are the values for inputs with valueFromSandbox. Those that no input reads are left alone.
	Params map[string]string
	// Plugin is the plugin's identity in full, `name@version`, and Digest its digest; both are for annotations.
	Plugin, Digest string
	// Copies are the outputs that workloads of other namespaces use, by namespace.
	Copies map[string][]v1alpha1.StepOutput
}

// Object is a rendered object.
type Object struct {
	Kind, Namespace, Name string
	// Phase is the phase whose objects it is one of. The delete phase comes with the create phase's Secrets.
	Phase string
	// Shared tells that it belongs to no sandbox in particular.
	Shared bool
	// Tree is the object in full.
	Tree manifest.Map
}
