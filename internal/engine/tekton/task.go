package tekton

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// taskSpec creates a task from a Pod template. The only init container is the helper that reads, since Check rejects others.
func taskSpec(template *corev1.PodTemplateSpec) TaskSpec {
	pod := &template.Spec
	task := TaskSpec{
		Metadata: Metadata{Annotations: template.Annotations, Labels: template.Labels}, Volumes: pod.Volumes,
	}
	for i := range pod.InitContainers {
		task.Steps = append(task.Steps, container(&pod.InitContainers[i]))
	}
	var last []Container
	for i := range pod.Containers {
		c := &pod.Containers[i]
		switch {
		case c.Name == contract.MainContainer || len(pod.Containers) == 1:
			task.Steps = append(task.Steps, container(c))
		case c.Name == contract.OutputManager:
			last = append(last, container(c))
		default:
			task.Sidecars = append(task.Sidecars, sidecar(c))
		}
	}
	task.Steps = append(task.Steps, last...)
	return task
}

func container(c *corev1.Container) Container {
	out := Container{
		Args: c.Args, Command: c.Command, Env: c.Env, EnvFrom: c.EnvFrom, Image: c.Image, ImagePullPolicy: c.ImagePullPolicy,
		Name: c.Name, SecurityContext: c.SecurityContext, VolumeDevices: c.VolumeDevices, VolumeMounts: c.VolumeMounts,
		WorkingDir: c.WorkingDir,
	}
	if r := &c.Resources; len(r.Limits) > 0 || len(r.Requests) > 0 {
		out.ComputeResources = r
	}
	return out
}

func sidecar(c *corev1.Container) Sidecar {
	return Sidecar{
		Container: container(c), Lifecycle: c.Lifecycle, LivenessProbe: c.LivenessProbe, Ports: c.Ports,
		ReadinessProbe: c.ReadinessProbe, StartupProbe: c.StartupProbe, Stdin: c.Stdin, StdinOnce: c.StdinOnce, TTY: c.TTY,
		TerminationMessagePath: c.TerminationMessagePath, TerminationMessagePolicy: c.TerminationMessagePolicy,
	}
}

func podTemplate(pod *corev1.PodSpec) PodTemplate {
	return PodTemplate{
		Affinity: pod.Affinity, AutomountServiceAccountToken: pod.AutomountServiceAccountToken, DNSConfig: pod.DNSConfig,
		DNSPolicy: pod.DNSPolicy, EnableServiceLinks: pod.EnableServiceLinks, HostAliases: pod.HostAliases,
		HostNetwork: pod.HostNetwork, HostUsers: pod.HostUsers, ImagePullSecrets: pod.ImagePullSecrets,
		NodeSelector: pod.NodeSelector, PriorityClassName: pod.PriorityClassName, RuntimeClassName: pod.RuntimeClassName,
		SchedulerName: pod.SchedulerName, SecurityContext: pod.SecurityContext, Tolerations: pod.Tolerations,
		TopologySpreadConstraints: pod.TopologySpreadConstraints,
	}
}
