// Package jobs runs each task in a Job, or in a Pod, which needs nothing but Kubernetes in the cluster. All Pods are created
// at once, and wait for their inputs.
package jobs

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// Name is the name of the engine in v1alpha1.RenderPhase.Engine.
const Name = "jobs"

// Kinds of workloads.
const (
	Job = "Job"
	Pod = "Pod"
)

var (
	jobKind = engine.Kind{Group: batchv1.GroupName, Name: Job, Resource: "jobs", PodLabel: batchv1.JobNameLabel}
	podKind = engine.Kind{Name: Pod, Resource: "pods"}
	traits  = engine.Traits{
		Name: Name, Title: "Kubernetes Jobs", Kinds: []engine.Kind{jobKind, podKind}, Waits: true, MaxSpec: maxSpec,
	}
)

// maxSpec is the size limit of a spec, in bytes: etcd accepts requests up to 1.5 MiB.
const maxSpec = 1400 << 10

// Engine is the engine of Jobs and Pods.
type Engine struct{}

// Traits implements engine.Engine.
func (Engine) Traits() engine.Traits { return traits }

// Check accepts all fields, since a Job has a Pod template.
func (Engine) Check(*corev1.PodTemplateSpec) []engine.Problem { return nil }

// Start implements engine.Engine.
func (Engine) Start(options engine.Options, phase engine.Phase) engine.Run {
	return &run{options, phase}
}

type run struct {
	engine.Options

	phase engine.Phase
}

// Add returns a Job or Pod. Its name ends in a hash of its spec, since fields that are immutable in Kubernetes can only
// change in a new object.
func (r *run) Add(t engine.Task) *engine.Workload {
	if r.Workload == Pod {
		return r.pod(t)
	}
	spec := r.jobSpec(t)
	name, size := r.name(Job, t.Name, spec)
	meta := t.Metadata
	meta.Name = name
	return &engine.Workload{SpecBytes: size, Manifest: &batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: Job}, ObjectMeta: meta, Spec: *spec,
	}}
}

// pod returns a Pod that is not replaced if it fails.
func (r *run) pod(t engine.Task) *engine.Workload {
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: Pod}, ObjectMeta: t.Template.ObjectMeta, Spec: t.Template.Spec,
	}
	name, size := r.name(Pod, t.Name, &pod.Spec)
	pod.Namespace, pod.Name = t.Metadata.Namespace, name
	pod.Labels = engine.Merged(pod.Labels, t.Metadata.Labels)
	pod.Annotations = engine.Merged(pod.Annotations, t.Metadata.Annotations)
	return &engine.Workload{Manifest: pod, SpecBytes: size}
}

// name returns the name of a workload and the size of its spec.
func (r *run) name(kind, task string, spec any) (name string, size int) {
	text := yamlprint.AppendJSON(make([]byte, 0, 4096), spec)
	return contract.ObjectName(contract.Hash(kind, string(text)), append(slices.Clone(r.phase.Texts), task)...), len(text)
}

// Finish returns nil: each task has its own workload.
func (r *run) Finish() *engine.Workload { return nil }

// jobSpec returns the spec of a Job. A failed Pod is replaced only if retries are set. A Pod that the cluster has removed,
// or that made room for another task, is always replaced.
func (r *run) jobSpec(t engine.Task) *batchv1.JobSpec {
	var ignored []batchv1.PodFailurePolicyRule
	if t.Waiting != "" {
		ignored = append(ignored, batchv1.PodFailurePolicyRule{
			Action: batchv1.PodFailurePolicyActionIgnore,
			OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
				ContainerName: &t.Waiting, Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{contract.ExitWaited},
			},
		})
	}
	return Spec(t.Template, t.Seconds, r.Options, ignored...)
}

// Spec returns the spec of a Job with a deadline in seconds. Only failed Pods that the cluster did not remove, and that no
// rule ignores, are counted.
func Spec(
	template *corev1.PodTemplateSpec, seconds int64, o engine.Options, ignored ...batchv1.PodFailurePolicyRule,
) *batchv1.JobSpec {
	disrupted := batchv1.PodFailurePolicyRule{
		Action: batchv1.PodFailurePolicyActionIgnore,
		OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
			{Status: corev1.ConditionTrue, Type: corev1.DisruptionTarget},
		},
	}
	spec := &batchv1.JobSpec{
		ActiveDeadlineSeconds: &seconds,
		BackoffLimit:          new(int32(o.Retries)),
		PodFailurePolicy: &batchv1.PodFailurePolicy{
			Rules: append([]batchv1.PodFailurePolicyRule{disrupted}, ignored...),
		},
		Template: *template,
	}
	if ttl := o.TTLSecondsAfterFinished; ttl >= 0 {
		spec.TTLSecondsAfterFinished = new(int32(ttl))
	}
	return spec
}
