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
	// Name is the name of the task in the workload; empty if the workload runs only this task.
	Name string
	// Job is the spec of the Job that would run it. For other workloads than Jobs, only its Pod template is set.
	Job batchv1.JobSpec
}

// Object is an object in a cluster, as read by an engine.
type Object struct {
	*metav1.ObjectMeta

	Kind string
	// Times are the timestamps of the object, except for its creation.
	Times []metav1.Time
	// Needs is another kind of the engine that the object depends on; it may be empty.
	Needs string
	// Unread is the reason why the states of its tasks are unknown; empty if they are known.
	Unread string
	// Value is the decoded object, for the engine.
	Value any
}

// NewObject decodes an object into value, whose metadata is m.
func NewObject(kind string, text []byte, value any, m *metav1.ObjectMeta) (*Object, error) {
	return &Object{ObjectMeta: m, Kind: kind, Value: value}, json.Unmarshal(text, value)
}

// Owner is the creator of a Pod.
type Owner struct {
	// Kind and Name identify a workload, and Task is the name in it of the task that the Pod runs.
	Kind, Name, Task string
}

// State is the state of a task of a workload in a cluster.
type State struct {
	// ObjectMeta is the metadata of the workload, with the labels and annotations of the task.
	metav1.ObjectMeta

	// Kind is the kind of the workload, and Task the name of the task in it; empty if the workload runs only this task.
	Kind Kind
	Task string
	// Secrets are the annotations of the Pod with the names of Secrets.
	Secrets map[string]string
	// Plan is empty for a task without inputs and outputs.
	Plan contract.Plan
	// IsActive means that the workload has not ended, and HasStarted that its controller has started it.
	IsActive, HasStarted bool
	// End is Complete or Failed; empty while the task has not ended.
	End string
	// Reason is the reason of a failure, as in events, and Failure its description for people.
	Reason, Failure string
	// Now describes the state of a task that has not ended.
	Now string
	// Since is when the task ended, or otherwise when it or its workload was started or created.
	Since metav1.Time
	// TTLSeconds is the time after the end when the workload is removed, or nil.
	TTLSeconds *int32
	// FailedTries is the number of failed attempts, and Tries their limit; 0 means no limit.
	FailedTries, Tries int
	// Cause is the engine's explanation for a Pod that does not progress, or nil.
	Cause *Cause
	// Pods are names of Pods of the task. Stem is the prefix of other Pods' names, up to the last hyphen.
	Pods []string
	Stem string
}

// Ends of a task, named after the conditions of a Job.
const (
	Complete = string(batchv1.JobComplete)
	Failed   = string(batchv1.JobFailed)
)

// Values of State.Now.
const (
	Suspended = "is suspended"
	Starting  = "starts"
	Running   = "runs"
)

// Cause is a report of Kubernetes or an engine about a workload or Pod that does not progress.
type Cause struct {
	Object  string `json:"object"` // KIND/NAME
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// String returns the cause on one line.
func (c Cause) String() string { return c.Object + ": " + c.Reason + ": " + c.Message }

// NewState returns a task of a workload that runs several tasks. annotations, labels and env are those of the task's Pods.
func NewState(
	kind Kind, of metav1.ObjectMeta, task string, annotations, labels map[string]string, env []corev1.EnvVar,
) *State {
	s := &State{ObjectMeta: of, Kind: kind, Task: task, Secrets: annotations, Plan: PlanOf(env), HasStarted: true}
	s.Labels, s.Annotations = Merged(of.Labels, labels), Merged(of.Annotations, annotations)
	return s
}

// Object returns the name of the workload for messages.
func (s *State) Object() string { return strings.ToLower(s.Kind.Name) + "/" + s.Name }

// Fail sets the end of a task in a workload that runs several tasks. A message that only repeats the reason is omitted. The
// command prints all lines of the Pods' logs, which is not kubectl's default for a selector.
func (s *State) Fail(reason, message string) {
	s.End, s.Reason = Failed, reason
	s.Failure = Words(reason, message) + "; see " + s.logs()
}

// FailUnknown sets the end of a task that may be the one that made its workload fail.
func (s *State) FailUnknown() {
	s.End, s.Failure = Failed, "a task of the "+s.Kind.Name+" has failed, which one is not known; see "+s.logs()
}

// FailUnstarted sets the end of a task that never runs, because the tasks it waits for have not succeeded, or for the reason
// in a message.
func (s *State) FailUnstarted(since []string, message string) {
	s.End, s.Failure = Failed, "not started: "+strings.TrimSuffix(OneLine(message), ":")
	if len(since) > 0 {
		s.Failure = "not started, since these have not succeeded: " + strings.Join(since, " ")
	}
}

// Unseen sets the state of a task whose workload no controller has seen.
func (s *State) Unseen() {
	s.Now = "is not started: no controller has seen it; see kubectl describe -n " + s.Namespace + " " + s.Object()
}

func (s *State) logs() string { return "kubectl " + strings.Join(s.LogArguments(), " ") }

// LogArguments are the arguments of kubectl for the logs of the task's Pods.
func (s *State) LogArguments() []string {
	if s.Kind.PodLabel == "" {
		return []string{"logs", "-n", s.Namespace, s.Object(), "--all-containers", "--tail", "-1"}
	}
	key := contract.StepKey
	if s.Labels[key] == "" {
		key = contract.HelperKey
	}
	selector := s.Kind.PodLabel + "=" + s.Name + "," + key + "=" + s.Labels[key]
	return []string{"logs", "-n", s.Namespace, "-l", selector, "--all-containers", "--tail", "-1"}
}

// IsStart reports whether a container with this waiting reason is just starting.
func IsStart(reason string) bool {
	return slices.Contains([]string{"", "PodInitializing", "ContainerCreating"}, reason)
}

// Words returns the description of a failure.
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
