// Package engine defines what an engine is: what runs the steps of a phase in a cluster. Package render compiles a phase of
// a plugin to tasks: Pod templates, with what each waits for. An Engine makes the Kubernetes objects that run them:
//
//	run := e.Start(options, phase)
//	own := run.Add(task)    // for each task; jobs makes a Job of it
//	all := run.Finish()     // argo makes a Workflow of all tasks, tekton a PipelineRun
//
// It reads the tasks back from rendered objects with Decode, and judges those of a cluster with Read and Judge. Each engine
// has a folder here, and package engines the list of them. Names, labels, generations and Secrets are the same with all
// engines, so that one engine can create what another deletes.
//
// The package is internal: an engine that a program brings along would be unknown to the schemas, to rplug status and to
// rplug diff, and what those need of an engine changes with them.
package engine

import (
	"regexp"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Manifest is a Kubernetes object with its TypeMeta: a pointer to one of the types of k8s.io/api, or to one with the same
// json tags, or an *unstructured.Unstructured.
type Manifest interface {
	metav1.Object
	GetObjectKind() schema.ObjectKind
}

// Engine makes the objects that run tasks, and reads them.
type Engine interface {
	Traits() Traits
	// Check returns what the engine cannot express of the part of a Pod template that users write.
	Check(overlay *corev1.PodTemplateSpec) []Problem
	// Start begins a run of the tasks of one phase.
	Start(options Options, phase Phase) Run
	// Decode returns the tasks of a rendered workload, given its kind and its JSON.
	Decode(kind string, text []byte) (*Decoded, error)
	// Read reads an object of one of the engine's kinds for Judge, given its JSON.
	Read(kind string, text []byte) (*Object, error)
	// Judge returns the state of each task of the objects, which are all that Read has returned.
	Judge(objects []*Object) []*State
	// Adopt returns what has made a Pod, if the engine has. It gives the containers of the Pod the names and messages that
	// they have in a Pod of a Job.
	Adopt(pod *corev1.Pod) (owner Owner, isOwn bool)
}

// Run collects the tasks of one phase of a resource.
type Run interface {
	// Add adds a task and returns the object that runs it, nil if the object of Finish does.
	Add(Task) *Workload
	// Finish returns the object that runs all tasks, nil if each has its own, or there is none.
	Finish() *Workload
}

// Workload is an object that runs tasks.
type Workload struct {
	Manifest

	// SpecBytes is the size of its spec.
	SpecBytes int
}

// Traits are how an engine differs from others.
type Traits struct {
	// Name is the engine's, as v1alpha1.RenderPhase.Engine has it, and Title what people call it.
	Name, Title string
	// Kinds are the kinds of its objects. Its workloads are of the first, unless Options.Workload is another.
	Kinds []Kind
	// Waits is set if the Pods of all tasks are created at once, so that each waits for what it needs. Without it a task
	// starts when those before it have succeeded.
	Waits bool
	// MountsOutputs is set if all containers of a Pod are created at once, so that no helper can write the files of inputs
	// before they are mounted: they are mounted from the Secrets of their producers.
	MountsOutputs bool
	// KeepsEnded is set if ended workloads stay whatever Options.TTLSecondsAfterFinished is.
	KeepsEnded bool
	// Expansion matches what the engine replaces in texts, wherever they are in its objects; nil if it replaces nothing.
	// Values of users go by reference then.
	Expansion *regexp.Regexp
	// PodRules are what the ServiceAccount of each Pod must be allowed.
	PodRules []rbacv1.PolicyRule
	// MaxSpec is how many bytes the spec of a workload may have.
	MaxSpec int
	// Repeats are the reasons of events that say the same as a reason of a State's Cause.
	Repeats map[string][]string
}

// Kind is a kind of objects of an engine.
type Kind struct {
	Group, Name string
	// Resource is what kubectl calls it.
	Resource string
	// IsCustom is set if a cluster may not have the kind.
	IsCustom bool
	// PodLabel is the label of Pods with the name of their workload of this kind; empty if its Pods have none.
	PodLabel string
	// WorkloadLabel is the label with the name of the workload that an object of this kind is a part of; empty if the kind is
	// that of a workload.
	WorkloadLabel string
}

// Options are those of a render that engines need.
type Options struct {
	// Workload is the kind of the workloads, of an engine that has several.
	Workload string
	// Retries is how often a task that failed runs again.
	Retries int
	// TTLSecondsAfterFinished is how long ended workloads stay; they are kept if it is negative.
	TTLSecondsAfterFinished int
	// IsRestricted is set if Pods must keep to the Pod Security Standard "restricted".
	IsRestricted bool
}

// Phase is what the tasks of a phase of a resource have in common.
type Phase struct {
	// Name is the phase. Texts begin the names of workloads, for people.
	Name  string
	Texts []string
	// Metadata has the namespace, labels and annotations of a workload that runs all tasks.
	Metadata metav1.ObjectMeta
}

// Task is a step, or a helper that runs no step.
type Task struct {
	// Name is the step's or the helper's. Tasks may have the same.
	Name string
	// Template is the template of its Pod. It is the engine's to change.
	Template *corev1.PodTemplateSpec
	// Metadata has the namespace, labels and annotations of a workload that runs this task alone.
	Metadata metav1.ObjectMeta
	// After are the tasks that must have succeeded before, by the order in which they were added.
	After []int
	// TrySeconds is how long one try may take from the creation of its Pod.
	TrySeconds int64
	// Seconds is how long all tries may take, from when the phase starts.
	Seconds int64
	// Waiting is the container that may end with contract.ExitWaited, if there is one.
	Waiting string
}

// Problem is what an engine cannot express.
type Problem struct {
	// Field is the field of the Pod template, such as `spec.initContainers[0]`.
	Field string
	// Message says what must hold. It begins with "must".
	Message string
	// IsWarning is set if the field is used anyway.
	IsWarning bool
}
