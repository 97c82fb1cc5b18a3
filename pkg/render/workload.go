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
	kind := r.options.Workload
	var spec any = &template.Spec
	if kind == Job {
		spec = r.jobSpec(template)
	}
	text := yamlprint.AppendJSON(make([]byte, 0, 4096), spec)
	r.checkSize(what, len(text), template.Annotations)
	name := contract.ObjectName(contract.Hash(string(kind), string(text)), r.Sandbox, r.Resource, what)
	if kind == Job {
		r.add(string(Job), &batchv1.Job{
			TypeMeta: typeMeta("batch/v1", string(Job)), ObjectMeta: m.of(r.namespace, name), Spec: *spec.(*batchv1.JobSpec),
		})
		return
	}
	pod := &corev1.Pod{TypeMeta: typeMeta("v1", string(Pod)), ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Namespace, pod.Name = r.namespace, name
	pod.Labels, pod.Annotations = merged(pod.Labels, m.labels), merged(pod.Annotations, m.annotations)
	r.add(string(Pod), pod)
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
	if r.options.TTL != nil {
		spec.TTLSecondsAfterFinished = new(int32(*r.options.TTL))
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
