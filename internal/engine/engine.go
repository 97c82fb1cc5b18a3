// Package engine defines the interface of engines, which run the steps of a phase in a cluster. Package render compiles a
// phase of a plugin to tasks: Pod templates with their dependencies. An Engine creates the Kubernetes objects that run them:
//
//	run := e.Start(options, phase)
//	own := run.Add(task)    // for each task; jobs makes a Job of it
//	all := run.Finish()     // argo makes a Workflow of all tasks, tekton a PipelineRun
//
// Decode reads the tasks back from rendered objects; Read and States return the states of tasks in a cluster. Each engine
// has a folder here, and package engines lists them. Names, labels, generations and Secrets are the same with all engines,
// so that one engine can delete resources that another has created.
//
// The package is internal: the schemas, rplug status and rplug diff would not know an engine that another program adds, and
// their needs change this interface.
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

// Engine creates the objects that run tasks, and reads them.
type Engine interface {
	Traits() Traits
	// Check returns the parts of a user's Pod template that the engine does not support.
	Check(overlay *corev1.PodTemplateSpec) []Problem
	// Start begins a run of the tasks of one phase.
	Start(options Options, phase Phase) Run
	// Decode returns the tasks of a rendered workload, given its kind and JSON.
	Decode(kind string, text []byte) (*Decoded, error)
	// Read reads an object of one of the engine's kinds for States, given its JSON.
	Read(kind string, text []byte) (*Object, error)
	// States returns the state of each task of the objects, which are all results of Read.
	States(objects []*Object) []*State
	// Owner returns the creator of a Pod, if it belongs to the engine, and changes the names and messages of the Pod's
	// containers to those of a Pod of a Job.
	Owner(pod *corev1.Pod) (owner Owner, isOwn bool)
}

// Run collects the tasks of one phase of a resource.
type Run interface {
	// Add adds a task and returns the object that runs it, or nil if that is the object of Finish.
	Add(Task) *Workload
	// Finish returns the object that runs all tasks, or nil if each task has its own or there are no tasks.
	Finish() *Workload
}

// Workload is an object that runs tasks.
type Workload struct {
	Manifest

	// SpecBytes is the size of its spec.
	SpecBytes int
}

// Traits describe the differences between engines.
type Traits struct {
	// Name is the name of the engine in v1alpha1.RenderPhase.Engine, and Title its name for users.
	Name, Title string
	// Kinds are the kinds of its objects. The first is the kind of its workloads, unless Options.Workload is another one.
	Kinds []Kind
	// Waits means that the Pods of all tasks are created at once and wait for their inputs. Otherwise a task starts when
	// those before it have succeeded.
	Waits bool
	// MountsOutputs means that all containers of a Pod are created at once, so that no helper can write the files of inputs
	// before they are mounted: they are mounted from the Secrets of their producers.
	MountsOutputs bool
	// KeepsEnded means that Options.TTLSecondsAfterFinished does not remove finished workloads.
	KeepsEnded bool
	// Expansion matches references that the engine replaces in all texts of its objects; nil if it replaces none. Otherwise
	// values of users are only referred to.
	Expansion *regexp.Regexp
	// PodRules are the permissions that the ServiceAccount of each Pod needs.
	PodRules []rbacv1.PolicyRule
	// MaxSpec limits the spec of a workload, in bytes.
	MaxSpec int
	// Repeats maps the reason of a State's Cause to the reasons of events that repeat it.
	Repeats map[string][]string
}

// Kind is a kind of objects of an engine.
type Kind struct {
	Group, Name string
	// Resource is its name in kubectl.
	Resource string
	// IsCustom means that a cluster may not have the kind.
	IsCustom bool
	// PodLabel is the label of Pods with the name of their workload of this kind; empty if Pods have no such label.
	PodLabel string
	// WorkloadLabel is the label with the name of the workload that an object of this kind belongs to; empty for workloads.
	WorkloadLabel string
}

// Options are the options of a render that engines need.
type Options struct {
	// Workload is the kind of workloads, for an engine with several.
	Workload string
	// Retries is how often a failed task is retried.
	Retries int
	// TTLSecondsAfterFinished is how long finished workloads are kept; they are never removed if it is negative.
	TTLSecondsAfterFinished int
	// IsRestricted means that Pods must meet the Pod Security Standard "restricted".
	IsRestricted bool
}

// Phase is the common part of the tasks of a phase of a resource.
type Phase struct {
	// Name is the name of the phase. Texts are the first part of the names of workloads, for people.
	Name  string
	Texts []string
	// Metadata has the namespace, labels and annotations of a workload that runs all tasks.
	Metadata metav1.ObjectMeta
}

// Task is a step or a helper.
type Task struct {
	// Name is the name of the step or helper. It need not be unique.
	Name string
	// Template is the template of its Pod. The engine may change it.
	Template *corev1.PodTemplateSpec
	// Metadata has the namespace, labels and annotations of a workload that runs only this task.
	Metadata metav1.ObjectMeta
	// After are the tasks that must succeed first, as indexes in the order of Add.
	After []int
	// TrySeconds limits each try, from the creation of its Pod.
	TrySeconds int64
	// Seconds limits all tries together, from the start of the phase.
	Seconds int64
	// Waiting is the name of the container that may exit with contract.ExitWaited; it may be empty.
	Waiting string
}

// Problem is an unsupported field.
type Problem struct {
	// Field is the field of the Pod template, such as `spec.initContainers[0]`.
	Field string
	// Message is the requirement. It starts with "must".
	Message string
	// IsWarning means that the field is rendered anyway.
	IsWarning bool
}
