package renderdiff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// Change is how an object, sandbox or resource changes.
type Change string

// The changes.
const (
	Added   Change = "added"
	Removed Change = "removed"
	Changed Change = "changed"
	// Absent is the change of a sandbox whose delete phase is rendered and was not before. Present is the reverse.
	Absent  Change = "absent"
	Present Change = "present"
)

// Run is whether a step runs.
type Run string

// The runs.
const (
	// First: there was no such step.
	First Run = "first"
	// Again: the generation of the step is different, or there is no record that it ran.
	Again Run = "again"
	// No: the step does not run although the version of its plugin changes.
	No Run = "no"
	// Gone: the step is removed. Nothing runs.
	Gone Run = "gone"
)

// Report is how two sides differ.
type Report struct {
	// Before and After are the names of the sides.
	Before string `json:"before"`
	After  string `json:"after"`
	// Summary counts the changes below.
	Summary   Summary   `json:"summary"`
	Sandboxes []Sandbox `json:"sandboxes,omitempty"`
	// Routes are those of route groups and shared ones.
	Routes   []Object  `json:"routes,omitempty"`
	Packages []Package `json:"packages,omitempty"`
	Versions []Version `json:"versions,omitempty"`
	Secrets  []Secret  `json:"secrets,omitempty"`
	// Rendering are differences of Jobs that run no step again, such as the helper image.
	Rendering []Rendering `json:"rendering,omitempty"`
	// Objects are all other objects: accounts, Roles, ConfigMaps.
	Objects []Object `json:"objects,omitempty"`
	// NotCompared lists parts that could not be compared, and why.
	NotCompared []string `json:"notCompared,omitempty"`

	compare *compare // for pictures
}

// Summary counts changes.
type Summary struct {
	SandboxesAdded   int `json:"sandboxesAdded"`
	SandboxesRemoved int `json:"sandboxesRemoved"`
	SandboxesAbsent  int `json:"sandboxesAbsent"`
	SandboxesPresent int `json:"sandboxesPresent"`
	SandboxesChanged int `json:"sandboxesChanged"`
	StepsFirst       int `json:"stepsFirst"`
	StepsAgain       int `json:"stepsAgain"`
	StepsNo          int `json:"stepsNo"`
	StepsGone        int `json:"stepsGone"`
}

// Sandbox is a sandbox that differs.
type Sandbox struct {
	Name   string `json:"name"`
	Change Change `json:"change"`
	// WithoutDelete is set if the sandbox is removed and its delete phase was not rendered: its external resources are leaked.
	WithoutDelete bool       `json:"withoutDelete,omitempty"`
	Resources     []Resource `json:"resources,omitempty"`
	// Forks are the copies of workloads and Services.
	Forks  []Object `json:"forks,omitempty"`
	Routes []Object `json:"routes,omitempty"`
}

// Resource is a resource of a sandbox that differs.
type Resource struct {
	Name   string `json:"name"`
	Change Change `json:"change"`
	// Before and After are the plugins, as NAME@VERSION; empty on a side without the resource.
	Before string `json:"pluginBefore,omitempty"`
	After  string `json:"pluginAfter,omitempty"`
	// WithoutDelete is set if the resource is removed and its delete phase was not rendered.
	WithoutDelete bool   `json:"withoutDelete,omitempty"`
	Steps         []Step `json:"steps,omitempty"`
}

// Step is a step that runs, or whose plugin has a different version.
type Step struct {
	Phase   v1alpha1.Phase `json:"phase"`
	Name    string         `json:"step"`
	Run     Run            `json:"run"`
	Reasons []Reason       `json:"reasons,omitempty"`
	// AtLeastOnce is set if only its Job records that the step ran: it publishes no outputs, so it runs again if the Job is
	// replaced or created again.
	AtLeastOnce bool `json:"atLeastOnce,omitempty"`
	// Workload is the kind of the object that runs the step, if that is the Workflow or PipelineRun of the phase.
	Workload string `json:"workload,omitempty"`
	// Leftover is a Job of an earlier render in the cluster that has the name of the one to be applied: the step does not run
	// until it is deleted.
	Leftover string `json:"leftover,omitempty"`
}

// Reason is why a step runs again.
type Reason struct {
	Kind ReasonKind `json:"kind"`
	// Name is the name of the param, input, output or producer; otherwise it is empty.
	Name string `json:"name,omitempty"`
	// Change is the change of an input or output, or of their order.
	Change string `json:"change,omitempty"`
	// Before and After are images and namespaces, and with Options.ShowValues the values of params.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Fields are the fields of the Pod or Job that differ.
	Fields []string `json:"fields,omitempty"`
}

// ReasonKind is the part of a step that is different.
type ReasonKind string

// The kinds of reasons. The first ones are the parts of a generation.
const (
	ReasonScript     ReasonKind = "script"
	ReasonParam      ReasonKind = "param"
	ReasonVariable   ReasonKind = "variable" // a param or a variable of the overlay: the plugin's document is not known
	ReasonImage      ReasonKind = "image"
	ReasonOverlay    ReasonKind = "overlay"
	ReasonInput      ReasonKind = "input"
	ReasonOutput     ReasonKind = "output"
	ReasonProducer   ReasonKind = "producer"
	ReasonSandboxID  ReasonKind = "sandbox id"
	ReasonRoutingKey ReasonKind = "routing key"
	ReasonUnknown    ReasonKind = "unknown" // see Report.NotCompared

	// The step publishes its outputs to a new place.
	ReasonNamespace ReasonKind = "namespace"
	ReasonSecret    ReasonKind = "new Secret"

	// Only of steps that run at least once: their Job changed.
	ReasonOtherScript ReasonKind = "script of another step"
	ReasonHelperImage ReasonKind = "helper image"
	ReasonJob         ReasonKind = "Job"
)

// Secret is a Secret that is added or removed, or that a different step publishes to.
type Secret struct {
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Change    Change `json:"change"`
	Before    *Owner `json:"before,omitempty"`
	After     *Owner `json:"after,omitempty"`
}

// Owner is the step that publishes to a Secret.
type Owner struct {
	Sandbox  string         `json:"sandbox"`
	Resource string         `json:"resource"`
	Phase    v1alpha1.Phase `json:"phase"`
	Step     string         `json:"step"`
	// Plugin is its name without the version.
	Plugin string `json:"plugin"`
}

// Version is a plugin whose version changes, or whose document differs under the same version.
type Version struct {
	Plugin    string `json:"plugin"`
	Before    string `json:"before"`
	After     string `json:"after"`
	Resources int    `json:"resources"`
	// SameVersion is set if a document changed and its version did not.
	SameVersion bool `json:"sameVersion,omitempty"`
}

// Object is an object that is added, removed or changed.
type Object struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Change    Change `json:"change"`
	// Of is the baseline of a fork, or the route group of a route.
	Of     string   `json:"of,omitempty"`
	Fields []string `json:"fields,omitempty"`
}

// Package is an install request of a package that differs.
type Package struct {
	Request string `json:"request"`
	Change  Change `json:"change"`
	// Before and After are the images of the packages.
	Before  []string `json:"before,omitempty"`
	After   []string `json:"after,omitempty"`
	Objects []Object `json:"objects,omitempty"`
}

// Rendering is a difference of Jobs that runs no script again.
type Rendering struct {
	What   string `json:"what"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Objects is the number of objects with the difference.
	Objects int `json:"objects"`
}

// Differs reports whether the sides differ.
func (r *Report) Differs() bool {
	return len(r.Sandboxes)+len(r.Routes)+len(r.Packages)+len(r.Versions)+len(r.Secrets)+len(r.Rendering)+
		len(r.Objects) > 0
}

// finish sorts and counts.
func (r *Report) finish() {
	slices.Sort(r.NotCompared)
	r.NotCompared = slices.Compact(r.NotCompared)
	for i := range r.Sandboxes {
		switch r.Sandboxes[i].Change {
		case Added:
			r.Summary.SandboxesAdded++
		case Removed:
			r.Summary.SandboxesRemoved++
		case Absent:
			r.Summary.SandboxesAbsent++
		case Present:
			r.Summary.SandboxesPresent++
		case Changed:
			r.Summary.SandboxesChanged++
		}
		for _, resource := range r.Sandboxes[i].Resources {
			r.Summary.count(resource.Steps)
		}
	}
}

func (s *Summary) count(steps []Step) {
	for _, step := range steps {
		switch step.Run {
		case First:
			s.StepsFirst++
		case Again:
			s.StepsAgain++
		case No:
			s.StepsNo++
		case Gone:
			s.StepsGone++
		}
	}
}

func compareObjects(a, b Object) int {
	return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Namespace, b.Namespace),
		strings.Compare(a.Name, b.Name))
}
