package render

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Workload is the kind of object that a step becomes.
type Workload string

// The workloads.
const (
	Job Workload = "Job"
	Pod Workload = "Pod"
)

// DefaultHelperImage is the image of the helpers in Pods whose step has step inputs or outputs.
const DefaultHelperImage = contract.RuntimeImage

// DefaultStepTimeout is how long a step may run once its inputs are there, in seconds: a managed database takes a
// quarter of an hour to come up.
const DefaultStepTimeout = 1800

// DefaultStartTimeout is how long a step's container may take to start, in seconds.
const DefaultStartTimeout = contract.DefaultStartTimeoutSeconds

// Options are the choices for a whole render. The zero value of each is its default.
type Options struct {
	// Name is put on what is rendered: a run replaces and removes only what a run of the same name has rendered. KRM
	// functions use the functionConfig's metadata.name.
	Name string
	// Phases are the phases to render; only create by default. A sandbox whose annotation resourceplugins.dev/state is
	// absent gets its delete phase in any case. Both phases need a Delivery with hooks.
	Phases []v1alpha1.Phase
	// Cluster is the cluster whose sandboxes are rendered; it must be given if there are sandboxes of several.
	Cluster string
	// Delivery is the tool that brings the objects to the cluster; kubectl by default.
	Delivery Delivery
	// Workload is Job by default.
	Workload Workload
	// RunnerNamespace replaces the namespace of every plugin's runner.
	RunnerNamespace string
	// Namespaces maps runners' namespaces to those to use instead; RunnerNamespace goes before it.
	Namespaces map[string]string
	// HelperImage is DefaultHelperImage by default.
	HelperImage string
	// ImagePullSecrets are the names of Secrets for the images, beside those of the overlay.
	ImagePullSecrets []string
	// StepTimeout is DefaultStepTimeout by default, in seconds. An overlay's activeDeadlineSeconds goes before it.
	StepTimeout int
	// StartTimeout is DefaultStartTimeout by default, in seconds.
	StartTimeout int
	// Retries is how often a failed Job runs again; 0 by default, since scripts are rarely idempotent.
	Retries int
	// TTL is how many seconds after their end Jobs are removed; nil keeps them. A tool that keeps the cluster as it is
	// rendered creates again what is removed.
	TTL *int
	// Prune removes what was rendered before even if there is no sandbox any more.
	Prune bool
	// WithoutPaths leaves out the annotations that say where in a package an object belongs.
	WithoutPaths bool
}

func (o Options) withDefaults() Options {
	if o.Phases == nil {
		o.Phases = []v1alpha1.Phase{v1alpha1.PhaseCreate}
	}
	if o.Delivery.Tool == "" {
		o.Delivery.Tool = Kubectl
	}
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
		o.StartTimeout = DefaultStartTimeout
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

// OptionError means that an option must have another value.
type OptionError struct {
	// Option is the option as the field of a RenderPhase config, such as `phases[1]`.
	Option krm.Path
	// Message says what must hold, in one line.
	Message string
}

func (e *OptionError) Error() string { return string(e.Option) + ": " + e.Message }

// Validate returns everything that is wrong with the options.
func (o Options) Validate() []*OptionError {
	check := optionCheck{Options: o.withDefaults()}
	check.phases()
	if o := check.Options; o.Workload != Job && o.Workload != Pod {
		check.wrong("workload", "must be Job or Pod, not %q", o.Workload)
	}
	check.delivery()
	check.names()
	check.numbers()
	return check.errors
}

type optionCheck struct {
	Options
	errors []*OptionError
}

func (c *optionCheck) wrong(option krm.Path, format string, args ...any) {
	c.errors = append(c.errors, &OptionError{option, fmt.Sprintf(format, args...)})
}

// phases checks that phases which would undo each other are kept apart.
func (c *optionCheck) phases() {
	for i, phase := range c.Phases {
		if !slices.Contains(v1alpha1.Phases, phase) {
			c.wrong(krm.Path("phases").Index(i), "must be create or delete, not %q", phase)
		}
	}
	switch n := len(c.Phases); {
	case n == 1:
	case n != 2 || c.Phases[0] == c.Phases[1]:
		c.wrong("phases", "must be one phase, or create and delete with delivery argocd or helm, not %d", n)
	case !c.Delivery.Tool.HasHooks():
		c.wrong("phases", "must be one phase, not 2: what create makes, delete would remove at once; delivery argocd and "+
			"helm can hold the delete phase back")
	}
}

func (c *optionCheck) delivery() {
	tool, hook := c.Delivery.Tool, c.Delivery.Hook
	if !slices.Contains(Tools[:], tool) {
		names := make([]string, len(Tools))
		for i, one := range Tools {
			names[i] = string(one)
		}
		c.wrong("delivery", "must be one of %s, not %q", strings.Join(names, ", "), tool)
		return
	}
	if tool.Recreates() && c.Workload == Pod {
		c.wrong("workload", "must be Job with delivery %s, which makes a Pod anew that the cluster has removed, and so runs "+
			"its step again", tool)
	}
	switch {
	case hook == "":
	case hook != PreDelete && hook != PostDelete:
		c.wrong("deleteHook", "must be PostDelete or PreDelete, not %q", hook)
	case !tool.HasHooks():
		c.wrong("deleteHook", "must not be set with delivery %s, which has no hooks", tool)
	}
}

// names checks the names of objects.
func (c *optionCheck) names() {
	c.name("runnerNamespace", document.CheckLabel(c.RunnerNamespace))
	for i, name := range c.ImagePullSecrets {
		at := krm.Path("imagePullSecrets").Index(i)
		if c.name(at, document.CheckSubdomain(name)); name == "" {
			c.wrong(at, "must be the name of a Secret")
		}
	}
	for _, from := range slices.Sorted(maps.Keys(c.Namespaces)) {
		to, at := c.Namespaces[from], krm.Path("namespaces").Key(from)
		if c.name(at, document.CheckLabel(to)); to == "" {
			c.wrong(at, "must be the namespace to use for %q", from)
		}
	}
}

func (c *optionCheck) name(option krm.Path, problem string) {
	if problem != "" {
		c.wrong(option, "%s", problem)
	}
}

// numbers checks ranges, and that ended Jobs may be removed at all.
func (c *optionCheck) numbers() {
	c.atLeast("stepTimeoutSeconds", c.StepTimeout, 1)
	c.atLeast("startTimeoutSeconds", c.StartTimeout, 1)
	c.atLeast("retries", c.Retries, 0)
	if c.Retries > 0 && c.Workload == Pod {
		c.wrong("retries", "must be 0 with workload Pod: only a Job runs again")
	}
	const ttl = "ttlSecondsAfterFinished"
	switch {
	case c.TTL == nil:
	case c.Workload == Pod:
		c.wrong(ttl, "must be -1 with workload Pod: only Jobs are removed after their end")
	case c.Delivery.Tool.Recreates():
		c.wrong(ttl, "must be -1 with delivery %s, which makes a removed Job anew, and so runs its step again", c.Delivery.Tool)
	default:
		c.atLeast(ttl, *c.TTL, 0)
	}
}

func (c *optionCheck) atLeast(option krm.Path, value, least int) {
	if value < least {
		c.wrong(option, "must be at least %d, not %d", least, value)
	} else if value > math.MaxInt32 {
		c.wrong(option, "must be at most %d, not %d", math.MaxInt32, value)
	}
}
