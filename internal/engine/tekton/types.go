package tekton

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The types have the used fields of github.com/tektoncd/pipeline/pkg/apis/pipeline/v1
// (https://tekton.dev/docs/pipelines/pipelineruns/#monitoring-execution-status). Tests decode rendered objects strictly into
// the original types.

// PipelineRun is a PipelineRun of Tekton.
type PipelineRun struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   PipelineRunSpec    `json:"spec"`
	Status *PipelineRunStatus `json:"status,omitempty"` // only in a cluster
}

// PipelineRunSpec is the spec of a PipelineRun.
type PipelineRunSpec struct {
	PipelineSpec PipelineSpec  `json:"pipelineSpec"`
	Status       string        `json:"status,omitempty"` // only in a cluster
	TaskRunSpecs []TaskRunSpec `json:"taskRunSpecs"`
	Timeouts     Timeouts      `json:"timeouts"`
}

// PipelineSpec is the embedded pipeline.
type PipelineSpec struct {
	Tasks []PipelineTask `json:"tasks"`
}

// PipelineTask is a node of the graph. Timeout applies to each try.
type PipelineTask struct {
	Name     string   `json:"name"`
	Retries  int      `json:"retries,omitempty"`
	RunAfter []string `json:"runAfter,omitempty"`
	TaskSpec TaskSpec `json:"taskSpec"`
	Timeout  string   `json:"timeout"`
}

// TaskSpec is the spec of a task, which runs in a Pod.
type TaskSpec struct {
	Metadata Metadata        `json:"metadata"`
	Sidecars []Sidecar       `json:"sidecars,omitempty"`
	Steps    []Container     `json:"steps"`
	Volumes  []corev1.Volume `json:"volumes,omitempty"`
}

// Metadata is the metadata of a task's Pods.
type Metadata struct {
	Annotations map[string]string `json:"annotations,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
}

// Container has the fields of containers that steps support.
type Container struct {
	Args             []string                     `json:"args,omitempty"`
	Command          []string                     `json:"command,omitempty"`
	ComputeResources *corev1.ResourceRequirements `json:"computeResources,omitempty"`
	Env              []corev1.EnvVar              `json:"env,omitempty"`
	EnvFrom          []corev1.EnvFromSource       `json:"envFrom,omitempty"`
	Image            string                       `json:"image"`
	ImagePullPolicy  corev1.PullPolicy            `json:"imagePullPolicy,omitempty"`
	Name             string                       `json:"name"`
	SecurityContext  *corev1.SecurityContext      `json:"securityContext,omitempty"`
	VolumeDevices    []corev1.VolumeDevice        `json:"volumeDevices,omitempty"`
	VolumeMounts     []corev1.VolumeMount         `json:"volumeMounts,omitempty"`
	WorkingDir       string                       `json:"workingDir,omitempty"`
}

// Sidecar is a container that runs beside the steps.
type Sidecar struct {
	Container `json:",inline"`

	Lifecycle                *corev1.Lifecycle               `json:"lifecycle,omitempty"`
	LivenessProbe            *corev1.Probe                   `json:"livenessProbe,omitempty"`
	Ports                    []corev1.ContainerPort          `json:"ports,omitempty"`
	ReadinessProbe           *corev1.Probe                   `json:"readinessProbe,omitempty"`
	StartupProbe             *corev1.Probe                   `json:"startupProbe,omitempty"`
	Stdin                    bool                            `json:"stdin,omitempty"`
	StdinOnce                bool                            `json:"stdinOnce,omitempty"`
	TTY                      bool                            `json:"tty,omitempty"`
	TerminationMessagePath   string                          `json:"terminationMessagePath,omitempty"`
	TerminationMessagePolicy corev1.TerminationMessagePolicy `json:"terminationMessagePolicy,omitempty"`
}

// TaskRunSpec has fields of a task's Pod that TaskSpec lacks.
type TaskRunSpec struct {
	PipelineTaskName   string      `json:"pipelineTaskName"`
	PodTemplate        PodTemplate `json:"podTemplate"`
	ServiceAccountName string      `json:"serviceAccountName,omitempty"`
}

// PodTemplate has the fields of a Pod that Tekton supports.
type PodTemplate struct {
	Affinity                     *corev1.Affinity                  `json:"affinity,omitempty"`
	AutomountServiceAccountToken *bool                             `json:"automountServiceAccountToken,omitempty"`
	DNSConfig                    *corev1.PodDNSConfig              `json:"dnsConfig,omitempty"`
	DNSPolicy                    corev1.DNSPolicy                  `json:"dnsPolicy,omitempty"`
	EnableServiceLinks           *bool                             `json:"enableServiceLinks,omitempty"`
	HostAliases                  []corev1.HostAlias                `json:"hostAliases,omitempty"`
	HostNetwork                  bool                              `json:"hostNetwork,omitempty"`
	HostUsers                    *bool                             `json:"hostUsers,omitempty"`
	ImagePullSecrets             []corev1.LocalObjectReference     `json:"imagePullSecrets,omitempty"`
	NodeSelector                 map[string]string                 `json:"nodeSelector,omitempty"`
	PriorityClassName            string                            `json:"priorityClassName,omitempty"`
	RuntimeClassName             *string                           `json:"runtimeClassName,omitempty"`
	SchedulerName                string                            `json:"schedulerName,omitempty"`
	SecurityContext              *corev1.PodSecurityContext        `json:"securityContext,omitempty"`
	Tolerations                  []corev1.Toleration               `json:"tolerations,omitempty"`
	TopologySpreadConstraints    []corev1.TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`
}

// Timeouts limit the whole run.
type Timeouts struct {
	Pipeline string `json:"pipeline"`
}

// PipelineRunStatus is the status of a PipelineRun.
type PipelineRunStatus struct {
	RunStatus       `json:",inline"`
	ChildReferences []struct {
		Name             string `json:"name"`
		PipelineTaskName string `json:"pipelineTaskName"`
	} `json:"childReferences"`
	SkippedTasks []struct {
		Name   string `json:"name"`
		Reason string `json:"reason"`
	} `json:"skippedTasks"`
}

// TaskRun is a run of a task, created by the controller.
type TaskRun struct {
	metav1.ObjectMeta `json:"metadata"`

	Status struct {
		RunStatus     `json:",inline"`
		PodName       string `json:"podName"`
		RetriesStatus []struct {
			PodName string `json:"podName"`
		} `json:"retriesStatus"`
	} `json:"status"`
}

// RunStatus is the common part of the statuses of PipelineRuns and TaskRuns.
type RunStatus struct {
	Conditions     []metav1.Condition `json:"conditions"`
	StartTime      *metav1.Time       `json:"startTime"`
	CompletionTime *metav1.Time       `json:"completionTime"`
}
