package engine

import (
	"encoding/json"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Decoded is a rendered workload.
type Decoded struct {
	metav1.ObjectMeta

	Tasks []DecodedTask
}

// DecodedTask is a task of a workload.
type DecodedTask struct {
	// Name is what the workload calls the task; empty if it runs only this one.
	Name string
	// Job is the spec of the Job that would run it, of anything but a Job the Pod template.
	Job batchv1.JobSpec
}

// Object is an object of a cluster, as an engine reads it.
type Object struct {
	*metav1.ObjectMeta

	Kind string
	// Times are the timestamps of the object beside the one of its creation.
	Times []metav1.Time
	// Needs is another kind of the engine that the object refers to; empty if there is none.
	Needs string
	// Unread says why the states of its tasks are not known; empty if they are.
	Unread string
	// Value is the decoded object, for the engine.
	Value any
}

// NewObject decodes an object into value, of which m is the metadata.
func NewObject(kind string, text []byte, value any, m *metav1.ObjectMeta) (*Object, error) {
	return &Object{ObjectMeta: m, Kind: kind, Value: value}, json.Unmarshal(text, value)
}

// Owner is what has made a Pod.
type Owner struct {
	// Kind and Name are those of a workload, and Task what it calls the task that the Pod runs.
	Kind, Name, Task string
}

// State is how far a task of a workload in a cluster is.
type State struct {
	// ObjectMeta is that of the workload, with the labels and annotations of the task.
	metav1.ObjectMeta

	// Kind is that of the workload, and Task what it calls the task; empty if it runs only this one.
	Kind Kind
	Task string
	// Secrets are the annotations of the Pod with the names of Secrets.
	Secrets map[string]string
	// Plan is empty for a task that neither reads nor leaves outputs.
	Plan contract.Plan
	// IsActive is set if the workload has not ended, and HasStarted if its controller has started it.
	IsActive, HasStarted bool
	// End is Complete or Failed; empty if the task has not ended.
	End string
	// Reason is the one of a failure, as events give it, and Failure the words for people.
	Reason, Failure string
	// Now is what a task does that has not ended.
	Now string
	// Since is when the task has ended, or else when it or its workload was started or made.
	Since metav1.Time
	// FailedTries and Tries are how many attempts have failed, and how many there may be; 0 if that is not limited.
	FailedTries, Tries int
	// Cause is what the engine says of a Pod that does not get on; nil if nothing.
	Cause *Cause
	// Pods are names of Pods of the task, and Stem is what the names of others begin with, up to the last hyphen.
	Pods []string
	Stem string
}

// The ends of a task, by the names of a Job's conditions.
const (
	Complete = string(batchv1.JobComplete)
	Failed   = string(batchv1.JobFailed)
)

// What tasks do.
const (
	Suspended = "is suspended"
	Starting  = "starts"
	Running   = "runs"
)

// Cause is what Kubernetes or an engine says of a workload or Pod that does not get on.
type Cause struct {
	Object  string `json:"object"` // KIND/NAME
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// String is the cause on one line.
func (c Cause) String() string { return c.Object + ": " + c.Reason + ": " + c.Message }

// NewState returns a task of a workload that runs several, whose Pods have such annotations, labels and variables.
func NewState(kind Kind, of metav1.ObjectMeta, task string, annotations, labels map[string]string, env []corev1.EnvVar) *State {
	s := &State{ObjectMeta: of, Kind: kind, Task: task, Secrets: annotations, Plan: PlanOf(env), HasStarted: true}
	s.Labels, s.Annotations = Merged(of.Labels, labels), Merged(of.Annotations, annotations)
	return s
}

// Object is how messages name the workload.
func (s *State) Object() string { return strings.ToLower(s.Kind.Name) + "/" + s.Name }

// Fail sets the end of a task of a workload that runs several. An engine that only repeats the reason says nothing. The
// command prints all lines of the Pods' logs, which is not kubectl's default for a selector.
func (s *State) Fail(reason, message string) {
	s.End, s.Reason = Failed, reason
	s.Failure = Words(reason, message) + "; see " + s.logs()
}

// FailUnknown sets the end of a task that may be the one for which its workload has failed.
func (s *State) FailUnknown() {
	s.End, s.Failure = Failed, "a task of the "+s.Kind.Name+" has failed, which one is not known; see "+s.logs()
}

// FailUnstarted sets the end of a task that never runs, since those it waits for have not succeeded, or else for the reason
// in a message.
func (s *State) FailUnstarted(since []string, message string) {
	s.End, s.Failure = Failed, "not started: "+strings.TrimSuffix(OneLine(message), ":")
	if len(since) > 0 {
		s.Failure = "not started, since these have not succeeded: " + strings.Join(since, " ")
	}
}

// Unseen sets what a task does whose workload no controller has seen.
func (s *State) Unseen() {
	s.Now = "is not started: no controller has seen it; see kubectl describe -n " + s.Namespace + " " + s.Object()
}

func (s *State) logs() string {
	key := contract.StepKey
	if s.Labels[key] == "" {
		key = contract.HelperKey
	}
	return "kubectl logs -n " + s.Namespace + " -l " + s.Kind.PodLabel + "=" + s.Name + "," + key + "=" + s.Labels[key] +
		" --all-containers --tail -1"
}

// IsStart reports whether a container that waits for the reason is only starting.
func IsStart(reason string) bool {
	return slices.Contains([]string{"", "PodInitializing", "ContainerCreating"}, reason)
}

// Words are those of a failure.
func Words(reason, message string) string {
	if message = OneLine(message); message == "" || message == reason {
		return reason
	}
	return reason + ": " + message
}

// OneLine joins the lines of a message.
func OneLine(message string) string { return strings.Join(strings.Fields(message), " ") }

// Env returns the variables of containers.
func Env(containers ...[]corev1.Container) (all []corev1.EnvVar) {
	for _, container := range slices.Concat(containers...) {
		all = append(all, container.Env...)
	}
	return all
}

// PlanOf returns the plan in the variables of a Pod.
func PlanOf(env []corev1.EnvVar) (plan contract.Plan) {
	for _, variable := range env {
		if variable.Name == contract.PlanVariable && json.Unmarshal([]byte(variable.Value), &plan) == nil {
			return plan
		}
	}
	return contract.Plan{}
}
