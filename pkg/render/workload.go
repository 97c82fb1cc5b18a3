package render

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// workload is the Job or Pod of a step or helper.
type workload struct {
	// name is that of the step or helper.
	name     string
	template *corev1.PodTemplateSpec
	metadata metadata
	// depth is how many steps run one after the other until it is done.
	depth int
	// waiting is the container that may end with contract.ExitWaited, if there is one.
	waiting string
}

// workload adds a Job or Pod and returns its name, which ends in a hash of its spec: whatever changes in what Kubernetes
// lets nobody change makes another object.
func (r *renderer) workload(w workload) string {
	var spec any = &w.template.Spec
	if r.options.Workload == job {
		spec = r.jobSpec(w)
	}
	text := yamlprint.AppendJSON(make([]byte, 0, 4096), spec)
	r.checkSize(w.name, len(text), w.template.Annotations)
	name := contract.ObjectName(contract.Hash(r.options.Workload, string(text)), r.Sandbox, r.Resource, w.name)
	if r.options.Workload == job {
		r.add(job, &batchv1.Job{
			TypeMeta: typeMeta("batch/v1", job), ObjectMeta: w.metadata.of(r.namespace, name), Spec: *spec.(*batchv1.JobSpec),
		})
		return name
	}
	bare := &corev1.Pod{TypeMeta: typeMeta("v1", pod), ObjectMeta: w.template.ObjectMeta, Spec: w.template.Spec}
	bare.Namespace, bare.Name = r.namespace, name
	bare.Labels, bare.Annotations = merged(bare.Labels, w.metadata.labels), merged(bare.Annotations, w.metadata.annotations)
	r.add(pod, bare)
	return name
}

// jobSpec is a Job's spec. A Pod that fails is not replaced, unless retries are set. One that the cluster takes away is, and
// one that made room for another step.
func (r *renderer) jobSpec(w workload) *batchv1.JobSpec {
	var ignored []batchv1.PodFailurePolicyRule
	if w.waiting != "" {
		ignored = append(ignored, batchv1.PodFailurePolicyRule{
			Action: batchv1.PodFailurePolicyActionIgnore,
			OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
				ContainerName: &w.waiting, Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{contract.ExitWaited},
			},
		})
	}
	return r.options.JobSpec(w.template, r.jobDeadline(w.depth), ignored...)
}

// JobSpec returns the spec of a Job that must end within so many seconds. Of its Pods that fail, those count that the
// cluster did not take away and that no rule ignores.
func (o *Options) JobSpec(
	template *corev1.PodTemplateSpec, seconds int64, ignored ...batchv1.PodFailurePolicyRule,
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
	if ttl := o.TTLSecondsAfterFinished; ttl > keepJobs {
		spec.TTLSecondsAfterFinished = new(int32(ttl))
	}
	return spec
}

// instance returns a copy of a Pod template with more metadata, whose containers' fields may be set.
func instance(template *corev1.PodTemplateSpec, m metadata) *corev1.PodTemplateSpec {
	own := *template
	own.Labels, own.Annotations = merged(own.Labels, m.labels), merged(own.Annotations, m.annotations)
	own.Spec.Containers = slices.Clone(own.Spec.Containers)
	own.Spec.InitContainers = slices.Clone(own.Spec.InitContainers)
	return &own
}

func prependEnv(container *corev1.Container, env ...corev1.EnvVar) {
	container.Env = append(env, container.Env...)
}
