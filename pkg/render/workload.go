package render

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// workload adds the Job or Pod of a step or helper of that name. The object's name ends in a hash of its spec: whatever
// changes in what Kubernetes lets nobody change makes another object.
func (r *renderer) workload(what string, template *corev1.PodTemplateSpec, m metadata) {
	var spec any = &template.Spec
	if r.options.Workload == job {
		spec = r.jobSpec(template)
	}
	text := yamlprint.AppendJSON(make([]byte, 0, 4096), spec)
	r.checkSize(what, len(text), template.Annotations)
	name := contract.ObjectName(contract.Hash(r.options.Workload, string(text)), r.Sandbox, r.Resource, what)
	if r.options.Workload == job {
		r.add(job, &batchv1.Job{
			TypeMeta: typeMeta("batch/v1", job), ObjectMeta: m.of(r.namespace, name), Spec: *spec.(*batchv1.JobSpec),
		})
		return
	}
	bare := &corev1.Pod{TypeMeta: typeMeta("v1", pod), ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	bare.Namespace, bare.Name = r.namespace, name
	bare.Labels, bare.Annotations = merged(bare.Labels, m.labels), merged(bare.Annotations, m.annotations)
	r.add(pod, bare)
}

// jobSpec is a Job's spec. A Pod that the cluster takes away is replaced; one that fails is not, unless retries are set.
func (r *renderer) jobSpec(template *corev1.PodTemplateSpec) *batchv1.JobSpec {
	spec := &batchv1.JobSpec{
		BackoffLimit: new(int32(r.options.Retries)),
		PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
			Action: batchv1.PodFailurePolicyActionIgnore,
			OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
				{Status: corev1.ConditionTrue, Type: corev1.DisruptionTarget},
			},
		}}},
		Template: *template,
	}
	if ttl := r.options.TTLSecondsAfterFinished; ttl > keepJobs {
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
