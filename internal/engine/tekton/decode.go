package tekton

import (
	"encoding/json"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/engine"
)

// Decode implements engine.Engine.
func (Engine) Decode(_ string, text []byte) (*engine.Decoded, error) {
	var run PipelineRun
	if err := json.Unmarshal(text, &run); err != nil {
		return nil, err
	}
	decoded := &engine.Decoded{ObjectMeta: run.ObjectMeta}
	for i := range run.Spec.PipelineSpec.Tasks {
		task := &run.Spec.PipelineSpec.Tasks[i]
		pod := podOf(&task.TaskSpec)
		for j := range run.Spec.TaskRunSpecs {
			if more := &run.Spec.TaskRunSpecs[j]; more.PipelineTaskName == task.Name {
				convert(&more.PodTemplate, &pod)
				pod.ServiceAccountName = more.ServiceAccountName
			}
		}
		m := metav1.ObjectMeta{Annotations: task.TaskSpec.Metadata.Annotations, Labels: task.TaskSpec.Metadata.Labels}
		decoded.Tasks = append(decoded.Tasks, engine.DecodedTask{
			Name: task.Name, Job: batchv1.JobSpec{Template: corev1.PodTemplateSpec{ObjectMeta: m, Spec: pod}},
		})
	}
	return decoded, nil
}

// podOf returns the spec of a task's Pods, as far as the task has it.
func podOf(task *TaskSpec) corev1.PodSpec {
	pod := corev1.PodSpec{Volumes: task.Volumes}
	for i := range task.Steps {
		pod.Containers = append(pod.Containers, containerOf(&task.Steps[i], &task.Steps[i]))
	}
	for i := range task.Sidecars {
		pod.Containers = append(pod.Containers, containerOf(&task.Sidecars[i], &task.Sidecars[i].Container))
	}
	return pod
}

// containerOf returns the container that a step or sidecar was created from. step has the fields of steps.
func containerOf(from any, step *Container) (to corev1.Container) {
	convert(from, &to)
	if step.ComputeResources != nil {
		to.Resources = *step.ComputeResources
	}
	return to
}

// convert copies the fields that a Tekton type has in common with a Kubernetes type.
func convert(from, to any) {
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		panic(err) // the fields have equal types
	}
}

// Owner implements engine.Engine. Tekton adds a prefix to the names of containers, and reports an end for steps after a
// failed one although they did not run.
func (Engine) Owner(pod *corev1.Pod) (owner engine.Owner, isOwn bool) {
	owner = engine.Owner{Kind: Kind, Name: pod.Labels[runLabel], Task: pod.Labels[taskLabel]}
	if owner.Name == "" {
		return owner, false
	}
	for _, statuses := range []*[]corev1.ContainerStatus{&pod.Status.InitContainerStatuses, &pod.Status.ContainerStatuses} {
		*statuses = slices.DeleteFunc(*statuses, func(c corev1.ContainerStatus) bool {
			return c.State.Terminated != nil && reason(c.State.Terminated.Message) == "Skipped"
		})
		for i := range *statuses {
			adopt(&(*statuses)[i])
		}
	}
	return owner, true
}

func adopt(c *corev1.ContainerStatus) {
	for _, prefix := range []string{"step-", "sidecar-"} {
		if name, found := strings.CutPrefix(c.Name, prefix); found {
			c.Name = name
			break
		}
	}
	if end := c.State.Terminated; end != nil && len(results(end.Message)) > 0 {
		end.Message = reason(end.Message)
	}
}

// result is an element of the list in a container's termination message.
type result struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

func results(message string) (all []result) {
	if json.Unmarshal([]byte(message), &all) != nil {
		return nil
	}
	return all
}

// reason returns the reason why Tekton ended a container, or "" if the container ended by itself.
func reason(message string) (reason string) {
	for _, r := range results(message) {
		if r.Key == "Reason" {
			reason = r.Value
		}
	}
	return reason
}
