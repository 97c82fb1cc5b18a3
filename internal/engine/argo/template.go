package argo

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
)

// template creates a template from a task. Fields of its Pod that templates have are set there, and all others in the patch.
func (r *run) template(name string, t engine.Task) Template {
	pod := t.Template.Spec.DeepCopy()
	out := Template{
		Name:                  name,
		Metadata:              Metadata{Annotations: t.Template.Annotations, Labels: t.Template.Labels},
		ActiveDeadlineSeconds: take(&pod.ActiveDeadlineSeconds),
		ServiceAccountName:    take(&pod.ServiceAccountName),
		Volumes:               take(&pod.Volumes),
	}
	out.Executor = &Executor{out.ServiceAccountName}
	if mounts := pod.AutomountServiceAccountToken; mounts != nil && !*mounts { // the controller ignores true here
		out.AutomountServiceAccountToken = take(&pod.AutomountServiceAccountToken)
	}
	if r.Retries > 0 { // Always, since a lost Pod is an error, not a failure
		out.RetryStrategy = &RetryStrategy{Limit: new(intstr.FromInt32(int32(r.Retries))), RetryPolicy: "Always"}
	}
	pod.RestartPolicy = "" // same as the controller's
	p := newPatch(pod, r.IsRestricted)
	containers, init := take(&pod.Containers), take(&pod.InitContainers)
	out.InitContainers = p.splitAll(init, &p.InitContainers)
	main, beside := parts(containers)
	main = p.splitAll(main, &p.Containers)
	out.Sidecars = p.splitAll(beside, &p.Containers)
	if len(main) == 1 {
		main[0].Name = contract.MainContainer // the controller's name for it, also in helpers
		out.Container = &main[0]
	} else {
		out.ContainerSet = &ContainerSet{main}
	}
	move(&out.Affinity, &pod.Affinity)
	move(&out.HostAliases, &pod.HostAliases)
	move(&out.NodeSelector, &pod.NodeSelector)
	move(&out.SecurityContext, &pod.SecurityContext)
	move(&out.Tolerations, &pod.Tolerations)
	out.PriorityClassName, out.SchedulerName = take(&pod.PriorityClassName), take(&pod.SchedulerName)
	out.PodSpecPatch = p.text()
	return out
}

// parts returns the containers that must succeed, and other containers of the overlay: sidecars, which the executor stops
// after main.
func parts(containers []corev1.Container) (main, beside []corev1.Container) {
	if len(containers) == 1 {
		return containers, nil
	}
	for _, c := range containers {
		if c.Name == contract.MainContainer || c.Name == contract.OutputManager {
			main = append(main, c)
		} else {
			beside = append(beside, c)
		}
	}
	return main, beside
}

// take returns the value of a field, and clears it.
func take[T any](field *T) (value T) {
	value, *field = *field, value
	return value
}

// move moves the value of a field, unless the controller would replace part of it.
func move[T any](to, from *T) {
	if !expands(*from) {
		*to = take(from)
	}
}
