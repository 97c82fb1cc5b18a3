package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/report"
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

// maxCauses is how many causes a step has: the newest.
const maxCauses = 5

// Unready returns the names of the workloads that exist and are not ready, by namespace and by the label that their Pods
// have with the name: the Pods and their events say why.
func (r *Report) Unready() map[string]map[string][]string {
	names := map[string]map[string][]string{}
	for _, step := range r.Steps {
		if step.of == nil || step.State == Ready || step.State == Missing || podLabels[step.of.kind] == "" {
			continue
		}
		if names[step.Namespace] == nil {
			names[step.Namespace] = map[string][]string{}
		}
		label := podLabels[step.of.kind]
		if of := names[step.Namespace]; !slices.Contains(of[label], step.of.Name) {
			of[label] = append(of[label], step.of.Name)
		}
	}
	return names
}

// explain adds to the steps that are not ready what their Pods and events say.
func (o *Objects) explain(report *Report) {
	report.Unknown = o.unknown(report)
	pods := map[runner][]*corev1.Pod{}
	for _, p := range o.pods {
		pods[runnerOf(p)] = append(pods[runnerOf(p)], p)
	}
	events := o.eventsByRunner()
	for i := range report.Steps {
		s := &report.Steps[i]
		if s.State == Ready || s.of == nil {
			continue
		}
		s.tellAttempts()
		of := s.of.runner()
		for _, pod := range pods[of] {
			s.Containers = append(s.Containers, failedContainers(pod)...)
			s.Causes = append(s.Causes, podCauses(pod)...)
		}
		if s.of.cause != nil && len(s.Causes) == 0 {
			s.Causes = append(s.Causes, *s.of.cause)
		}
		s.addEvents(events[of])
	}
}

// tellAttempts adds to a task that tries again how often it has failed.
func (s *Step) tellAttempts() {
	if s.State == InProgress && s.of.failed > 0 && s.of.tries > 0 {
		s.Detail += fmt.Sprintf("; %d of %d attempts have failed", s.of.failed, s.of.tries)
	}
}

// eventsByRunner returns the warnings of each Job, and those of the Pods of each task, the newest first. Those of a Workflow
// or PipelineRun repeat its status.
func (o *Objects) eventsByRunner() map[runner][]*event {
	runners := map[identity]runner{} // of Pods, by names and stems
	for _, p := range o.pods {
		runners[identity{podKind, p.Namespace, p.Name}] = runnerOf(p)
	}
	for _, t := range o.tasks() {
		for _, pod := range t.pods {
			runners[identity{podKind, t.Namespace, pod}] = t.runner()
		}
		if t.stem != "" {
			runners[identity{stemOfPods, t.Namespace, t.stem}] = t.runner()
		}
	}
	found := map[runner][]*event{}
	for _, e := range o.events {
		if e.Type != corev1.EventTypeWarning {
			continue
		}
		of := identity{e.object().Kind, e.object().Namespace, e.object().Name}
		switch of.kind {
		case jobKind:
			found[runner{of, ""}] = append(found[runner{of, ""}], e)
		case podKind: // it may be gone
			end := max(strings.LastIndex(of.name, "-"), 0)
			by, known := runners[of]
			if !known {
				by, known = runners[identity{stemOfPods, of.namespace, of.name[:end]}]
			}
			if known {
				found[by] = append(found[by], e)
			}
		}
	}
	for _, of := range found {
		slices.SortStableFunc(of, func(a, b *event) int {
			return cmp.Or(b.time().Compare(a.time().Time), cmp.Compare(a.object().Name, b.object().Name),
				cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.message(), b.message()))
		})
	}
	return found
}

// addEvents adds events, the newest of each reason, and none that repeats what is said already.
func (s *Step) addEvents(events []*event) {
	said := map[string]bool{s.of.reason: true}
	for _, reason := range repeats[s.of.reason] {
		said[reason] = true
	}
	for _, c := range s.Causes {
		said[c.Reason] = true
		for _, reason := range repeats[c.Reason] {
			said[reason] = true
		}
	}
	for _, e := range events {
		if !said[e.Reason] && len(s.Causes) < maxCauses {
			said[e.Reason] = true
			object := strings.ToLower(e.object().Kind) + "/" + e.object().Name
			s.Causes = append(s.Causes, Cause{object, e.Reason, report.OneLine(e.message())})
		}
	}
}

// stemOfPods stands for the kind of what the names of Pods begin with.
const stemOfPods = "Pods"

// repeats are the reasons of events that say the same as the status of a Pod or TaskRun.
var repeats = map[string][]string{
	corev1.PodReasonUnschedulable: {"FailedScheduling"},
	"ImagePullBackOff":            {"BackOff", "Failed", "ErrImagePull"},
	"ErrImagePull":                {"BackOff", "Failed", "ImagePullBackOff"},
	"InvalidImageName":            {"InspectFailed", "Failed"},
	"CreateContainerConfigError":  {"Failed"},
	"CreateContainerError":        {"Failed"},
	"TaskRunImagePullFailed":      {"BackOff", "Failed", "ErrImagePull", "ImagePullBackOff"},
}

// starts are the reasons of a container that waits because it starts.
var starts = []string{"", "PodInitializing", "ContainerCreating"}

// podCauses returns why a Pod does not run.
func podCauses(pod *corev1.Pod) []Cause {
	var causes []Cause
	object := "pod/" + pod.Name
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			causes = append(causes, Cause{object, c.Reason, report.OneLine(c.Message)})
		}
	}
	if pod.Status.Phase == corev1.PodFailed && pod.Status.Reason != "" {
		causes = append(causes, Cause{object, pod.Status.Reason, report.OneLine(pod.Status.Message)})
	}
	for _, c := range containersOf(pod) {
		if w := c.State.Waiting; w != nil && !slices.Contains(starts, w.Reason) {
			causes = append(causes, Cause{object, w.Reason, report.OneLine(nameOf(pod, &c) + ": " + w.Message)})
		}
	}
	return causes
}

func failedContainers(pod *corev1.Pod) (failed []Container) {
	for _, status := range containersOf(pod) {
		end, name := status.State.Terminated, nameOf(pod, &status)
		if end == nil || end.ExitCode == 0 || hasMadeRoom(name, end.ExitCode) {
			continue
		}
		message, ran := messageOf(end)
		if !ran {
			continue
		}
		lines := strings.Split(message, "\n")
		failed = append(failed, Container{
			Pod: pod.Name, Name: name, ExitCode: end.ExitCode, Message: lines[len(lines)-1],
		})
	}
	return failed
}

// messageOf returns the termination message of a container, or the reason why it has ended. Tekton has messages of its own,
// and ends the steps after one that has failed without having run them.
func messageOf(end *corev1.ContainerStateTerminated) (message string, ran bool) {
	message = strings.TrimSpace(end.Message)
	if results, isTekton := tektonResults(message); isTekton {
		message = ""
		for _, r := range results {
			if r.Key == "Reason" {
				message = r.Value
			}
		}
		if message == "Skipped" {
			return "", false
		}
	}
	return cmp.Or(message, end.Reason), true
}

// nameOf returns the name of a container as it was rendered.
func nameOf(pod *corev1.Pod, c *corev1.ContainerStatus) string {
	if runnerOf(pod).kind != pipelineRunKind {
		return c.Name
	}
	for _, prefix := range tektonPrefixes {
		if name, found := strings.CutPrefix(c.Name, prefix); found {
			return name
		}
	}
	return c.Name
}

// hasMadeRoom reports whether a container of that name ended only so that another Pod got the place of its own.
func hasMadeRoom(name string, exitCode int32) bool {
	helpers := []string{contract.InputManager, contract.HelperCopy, contract.HelperCleanup}
	return exitCode == contract.ExitWaited && slices.Contains(helpers, name)
}
