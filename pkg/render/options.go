package render

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
)

// The values of v1alpha1.RenderPhase.Workload.
const (
	job = jobs.Job
	pod = jobs.Pod
)

// The values of v1alpha1.RenderPhase.Install.
const (
	InstallJob     = "job"
	InstallObjects = "objects"
)

// ExpiryCluster is the value of v1alpha1.RenderPhase.Expiry.
const ExpiryCluster = "cluster"

// V010 is the value of v1alpha1.RenderPhase.Compatible for crossplane v0.10.0.
const V010 = "v0.10"

// keepJobs is the TTLSecondsAfterFinished with which Jobs stay.
const keepJobs = -1

// Options are the options of Phases.
type Options struct {
	// RenderPhase holds the fields of the function's config: see DefaultOptions. A sandbox whose annotation
	// resourceplugins.dev/state is absent gets its delete phase whatever the phases are. RunnerNamespace takes
	// precedence over Namespaces, and an overlay's activeDeadlineSeconds over StepTimeoutSeconds. An empty Engine,
	// Workload or Delivery means the default.
	v1alpha1.RenderPhase

	// Name is set on the rendered objects: a run replaces and removes only objects that a run with the same name has
	// rendered. KRM functions use the functionConfig's metadata.name.
	Name string
	// WithoutPaths means that the rendered objects are piped into kubectl, and not kept in a package: they have no
	// path.
	WithoutPaths bool
	// PostRender means that Helm has already executed the templates of its chart: with Delivery helm, text that Helm
	// would take for an action is not escaped.
	PostRender bool
	// RefuseEmpty makes it an error, and no warning, if no sandbox is of the cluster, or if no step runs in any of the
	// namespaces: a misspelled name would render nothing, and tools that prune would delete everything.
	RefuseEmpty bool
	// Part means that the list has only some of the sandboxes: results about all of them together are in
	// Summary.Together, and not reported.
	Part bool
}

// IsTemplate reports whether Helm executes the rendered objects as templates.
func (o *Options) IsTemplate() bool { return o.Delivery == helm && !o.PostRender }

// DefaultOptions are those of the function: the create phase as Jobs for kubectl. Scripts are rarely idempotent, so a failed
// Job does not run again. A step may run for half an hour: a managed database takes a quarter of one to come up.
func DefaultOptions() Options {
	return Options{
		Name: "render-phase",
		RenderPhase: v1alpha1.RenderPhase{
			Phases:              []string{string(v1alpha1.PhaseCreate)},
			Engine:              jobs.Name,
			Workload:            job,
			Delivery:            kubectl,
			HelperImage:         contract.RuntimeImage,
			StepTimeoutSeconds:  1800,
			StartTimeoutSeconds: contract.DefaultStartTimeoutSeconds,

			TTLSecondsAfterFinished: keepJobs,

			Install:         InstallJob,
			Record:          true,
			UnpackerImage:   contract.UnpackerImage,
			TemplatingImage: "crossplane/templating-controller:v0.2.1",
			ExecutorImage:   "crossplane/crossplane:v0.10.0",
		},
	}
}

// namespace returns where the steps of a runner's namespace go.
func (o *Options) namespace(runner string) string {
	if o.RunnerNamespace != "" {
		return o.RunnerNamespace
	}
	if other := o.Namespaces[runner]; other != "" {
		return other
	}
	return runner
}

// Own adds who renders an object, given its phase, as far as a later run needs it.
func (o *Options) Own(annotations map[string]string) {
	annotations[contract.RenderedByKey] = o.Name
	if !o.WithoutPaths && !slices.Contains(o.Phases, annotations[contract.PhaseKey]) {
		annotations[contract.RenderedWithKey] = strings.Join(o.Phases, ",")
	}
}
