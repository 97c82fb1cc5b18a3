package argo

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The types have the used fields of github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1
// (https://argo-workflows.readthedocs.io/en/release-3.7/fields/#workflow). Tests decode rendered objects strictly into the
// original types.

// Workflow is a Workflow of Argo Workflows.
type Workflow struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   WorkflowSpec    `json:"spec"`
	Status *WorkflowStatus `json:"status,omitempty"` // only in a cluster
}

// WorkflowSpec is the spec of a Workflow.
type WorkflowSpec struct {
	ActiveDeadlineSeconds int64        `json:"activeDeadlineSeconds"`
	Entrypoint            string       `json:"entrypoint"`
	PodGC                 PodGC        `json:"podGC"`
	Suspend               bool         `json:"suspend,omitempty"` // only in a cluster
	Templates             []Template   `json:"templates"`
	TTLStrategy           *TTLStrategy `json:"ttlStrategy,omitempty"`
}

// PodGC specifies when finished Pods are removed.
type PodGC struct {
	Strategy string `json:"strategy"`
}

// TTLStrategy specifies when a finished Workflow is removed.
type TTLStrategy struct {
	SecondsAfterCompletion int32 `json:"secondsAfterCompletion"`
}

// Template is a task, or the graph of all tasks.
type Template struct {
	Name          string         `json:"name"`
	DAG           *DAG           `json:"dag,omitempty"`
	Metadata      Metadata       `json:"metadata"`
	RetryStrategy *RetryStrategy `json:"retryStrategy,omitempty"`

	Container      *corev1.Container  `json:"container,omitempty"`
	ContainerSet   *ContainerSet      `json:"containerSet,omitempty"`
	InitContainers []corev1.Container `json:"initContainers,omitempty"`
	Sidecars       []corev1.Container `json:"sidecars,omitempty"`
	Volumes        []corev1.Volume    `json:"volumes,omitempty"`

	ActiveDeadlineSeconds        *int64                     `json:"activeDeadlineSeconds,omitempty"`
	Affinity                     *corev1.Affinity           `json:"affinity,omitempty"`
	AutomountServiceAccountToken *bool                      `json:"automountServiceAccountToken,omitempty"`
	Executor                     *Executor                  `json:"executor,omitempty"`
	HostAliases                  []corev1.HostAlias         `json:"hostAliases,omitempty"`
	NodeSelector                 map[string]string          `json:"nodeSelector,omitempty"`
	PodSpecPatch                 string                     `json:"podSpecPatch,omitempty"`
	PriorityClassName            string                     `json:"priorityClassName,omitempty"`
	SchedulerName                string                     `json:"schedulerName,omitempty"`
	SecurityContext              *corev1.PodSecurityContext `json:"securityContext,omitempty"`
	ServiceAccountName           string                     `json:"serviceAccountName,omitempty"`
	Tolerations                  []corev1.Toleration        `json:"tolerations,omitempty"`
}

// Metadata is the metadata of a template's Pods.
type Metadata struct {
	Annotations map[string]string `json:"annotations,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
}

// DAG is a graph of tasks.
type DAG struct {
	// FailFast starts no more tasks after a failure.
	FailFast bool `json:"failFast"`
	// Target has the names of the tasks that must succeed, separated by spaces.
	Target string    `json:"target"`
	Tasks  []DAGTask `json:"tasks"`
}

// DAGTask is a node of a DAG.
type DAGTask struct {
	Name         string   `json:"name"`
	Template     string   `json:"template"`
	Dependencies []string `json:"dependencies,omitempty"`
}

// RetryStrategy specifies how often a failed task is retried.
type RetryStrategy struct {
	Limit       *intstr.IntOrString `json:"limit"`
	RetryPolicy string              `json:"retryPolicy"`
}

// ContainerSet holds the containers of a Pod that must all succeed.
type ContainerSet struct {
	Containers []corev1.Container `json:"containers"`
}

// Executor specifies the ServiceAccount of the executor in a Pod.
type Executor struct {
	ServiceAccountName string `json:"serviceAccountName"`
}

// WorkflowStatus is the status of a Workflow.
type WorkflowStatus struct {
	Phase                    string          `json:"phase"`
	Message                  string          `json:"message"`
	StartedAt                metav1.Time     `json:"startedAt"`
	FinishedAt               metav1.Time     `json:"finishedAt"`
	Nodes                    map[string]Node `json:"nodes"`
	CompressedNodes          string          `json:"compressedNodes"`
	OffloadNodeStatusVersion string          `json:"offloadNodeStatusVersion"`
}

// Node is the status of a task, of a try, or of a container.
type Node struct {
	Name       string      `json:"name"`
	Phase      string      `json:"phase"`
	Message    string      `json:"message"`
	StartedAt  metav1.Time `json:"startedAt"`
	FinishedAt metav1.Time `json:"finishedAt"`
}
