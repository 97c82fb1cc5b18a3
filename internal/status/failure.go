package status

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Container is a container that has failed.
type Container struct {
	Pod      string `json:"pod"`
	Name     string `json:"container"`
	ExitCode int32  `json:"exitCode"`
	// Message is the last line of the termination message, or the reason why there is none.
	Message string `json:"message"`
}

// String is the container with its exit code and message, on one line.
func (c Container) String() string {
	return fmt.Sprintf("%s: exit code %d: %s", c.Name, c.ExitCode, c.Message)
}

// FailedJobs returns the names of the Jobs that have failed, by namespace.
func (r *Report) FailedJobs() map[string][]string {
	jobs := map[string][]string{}
	for _, step := range r.Steps {
		if name, isJob := strings.CutPrefix(step.Object, "job/"); isJob && step.State == Failed {
			jobs[step.Namespace] = append(jobs[step.Namespace], name)
		}
	}
	return jobs
}

// Explain adds the containers that failed to the Jobs of a namespace, given its Pods: what kubectl get pods -o json prints.
func (r *Report) Explain(namespace string, pods []byte) error {
	var list corev1.PodList
	if err := json.Unmarshal(pods, &list); err != nil {
		return fmt.Errorf("decode the Pods of namespace %q: %w", namespace, err)
	}
	for i := range list.Items {
		pod := &list.Items[i]
		object := "job/" + pod.Labels[batchv1.JobNameLabel]
		for j := range r.Steps {
			if step := &r.Steps[j]; step.Namespace == namespace && step.Object == object {
				step.Containers = append(step.Containers, failedContainers(pod)...)
			}
		}
	}
	return nil
}

// explainPods adds the containers that failed to Pods that are rendered instead of Jobs.
func (r *Report) explainPods(existing map[identity]object) error {
	for i := range r.Steps {
		step := &r.Steps[i]
		name, isPod := strings.CutPrefix(step.Object, "pod/")
		live := existing[identity{"Pod", step.Namespace, name}]
		if !isPod || step.State != Failed || live == nil {
			continue
		}
		var pod corev1.Pod
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, &pod); err != nil {
			return fmt.Errorf("decode Pod %q: %w", name, err)
		}
		step.Containers = failedContainers(&pod)
	}
	return nil
}

func failedContainers(pod *corev1.Pod) (failed []Container) {
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		end := status.State.Terminated
		if end == nil || end.ExitCode == 0 || hasMadeRoom(status.Name, end.ExitCode) {
			continue
		}
		message := strings.TrimSpace(end.Message)
		if message == "" {
			message = end.Reason
		}
		lines := strings.Split(message, "\n")
		failed = append(failed, Container{
			Pod: pod.Name, Name: status.Name, ExitCode: end.ExitCode, Message: lines[len(lines)-1],
		})
	}
	return failed
}

// hasMadeRoom reports whether a container of that name ended only so that another Pod got the place of its own.
func hasMadeRoom(name string, exitCode int32) bool {
	helpers := []string{contract.InputManager, contract.HelperCopy, contract.HelperCleanup}
	return exitCode == contract.ExitWaited && slices.Contains(helpers, name)
}
