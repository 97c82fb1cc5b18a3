package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
	"github.com/resource-plugins/krm-functions/internal/engines"
)

// Container is a failed container.
type Container struct {
	Pod      string `json:"pod"`
	Name     string `json:"container"`
	ExitCode int32  `json:"exitCode"`
	// Message is the last line of the termination message, or the reason if there is no message.
	Message string `json:"message"`
}

// String returns the container with its exit code and message, on one line.
func (c Container) String() string {
	return fmt.Sprintf("%s: exit code %d: %s", c.Name, c.ExitCode, c.Message)
}

// maxCauses limits the causes of a step, newest first.
const maxCauses = 5

// Unready returns the names of the workloads that exist and are not ready, by namespace and by the label of their Pods that
// has the name as its value. Pods and events explain the state of these workloads.
func (r *Report) Unready() map[string]map[string][]string {
	names := map[string]map[string][]string{}
	for _, step := range r.Steps {
		if step.task == nil || step.State == Ready || step.State == Missing || step.task.Kind.PodLabel == "" {
			continue
		}
		if names[step.Namespace] == nil {
			names[step.Namespace] = map[string][]string{}
		}
		label := step.task.Kind.PodLabel
		if workloads := names[step.Namespace]; !slices.Contains(workloads[label], step.task.Name) {
			workloads[label] = append(workloads[label], step.task.Name)
		}
	}
	return names
}

// explain adds information from Pods and events to the steps that are not ready.
func (o *Objects) explain(report *Report) {
	report.Unknown = o.unknown(report)
	pods := map[runner][]*pod{}
	for _, p := range o.pods {
		pods[p.runner] = append(pods[p.runner], p)
	}
	events := o.eventsByRunner()
	for i := range report.Steps {
		s := &report.Steps[i]
		if s.State == Ready {
			continue
		}
		if o.terminating[s.Namespace] {
			s.Causes = append(s.Causes, Cause{
				Object: "namespace/" + s.Namespace, Reason: "Terminating", Message: "it is being deleted: nothing can be created in it",
			})
		}
		if s.task == nil {
			continue
		}
		s.addAttempts()
		by := s.task.runner()
		for _, pod := range pods[by] {
			s.Containers = append(s.Containers, failedContainers(pod)...)
			s.Causes = append(s.Causes, podCauses(pod)...)
		}
		if s.task.Cause != nil && len(s.Causes) == 0 {
			s.Causes = append(s.Causes, *s.task.Cause)
		}
		s.addEvents(events[by])
	}
}

// addAttempts adds the number of failed attempts to the detail of a task that is retried.
func (s *Step) addAttempts() {
	if s.State == InProgress && s.task.FailedTries > 0 && s.task.Tries > 0 {
		s.Detail += fmt.Sprintf("; %d of %d attempts have failed", s.task.FailedTries, s.task.Tries)
	}
}

// eventsByRunner returns the warnings about each Job, and about the Pods of each task, newest first. Warnings about a
// Workflow or PipelineRun repeat its status.
func (o *Objects) eventsByRunner() map[runner][]*event {
	runners := map[identity]runner{} // by names and stems of Pods
	for _, p := range o.pods {
		runners[identity{podKind, p.Namespace, p.Name}] = p.runner
	}
	for _, t := range o.tasks() {
		for _, pod := range t.Pods {
			runners[identity{podKind, t.Namespace, pod}] = t.runner()
		}
		if t.Stem != "" {
			runners[identity{stemOfPods, t.Namespace, t.Stem}] = t.runner()
		}
	}
	found := map[runner][]*event{}
	for _, e := range o.events {
		if e.Type != corev1.EventTypeWarning {
			continue
		}
		of := identity{e.object().Kind, e.object().Namespace, e.object().Name}
		switch of.kind {
		case jobs.Job:
			found[runner{of, ""}] = append(found[runner{of, ""}], e)
		case podKind: // which may no longer exist
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

// addEvents adds the newest event of each reason, unless its reason is already reported.
func (s *Step) addEvents(events []*event) {
	said := map[string]bool{}
	say := func(reason string) {
		e, _ := engines.Of("", s.task.Kind.Name)
		for _, reason := range slices.Concat([]string{reason}, repeats[reason], e.Traits().Repeats[reason]) {
			said[reason] = true
		}
	}
	say(s.task.Reason)
	for _, c := range s.Causes {
		say(c.Reason)
	}
	for _, e := range events {
		if !said[e.Reason] && len(s.Causes) < maxCauses {
			said[e.Reason] = true
			object := strings.ToLower(e.object().Kind) + "/" + e.object().Name
			s.Causes = append(s.Causes, Cause{Object: object, Reason: e.Reason, Message: engine.OneLine(e.message())})
		}
	}
}

// stemOfPods replaces the kind in the identity of a prefix of Pod names.
const stemOfPods = "Pods"

// repeats maps the reasons in the status of a Pod to the reasons of events that repeat them.
var repeats = map[string][]string{
	corev1.PodReasonUnschedulable: {"FailedScheduling"},
	"ImagePullBackOff":            {"BackOff", "Failed", "ErrImagePull"},
	"ErrImagePull":                {"BackOff", "Failed", "ImagePullBackOff"},
	"InvalidImageName":            {"InspectFailed", "Failed"},
	"CreateContainerConfigError":  {"Failed"},
	"CreateContainerError":        {"Failed"},
}

// podCauses returns the reasons why a Pod does not run.
func podCauses(pod *pod) []Cause {
	var causes []Cause
	object := "pod/" + pod.Name
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			causes = append(causes, Cause{Object: object, Reason: c.Reason, Message: engine.OneLine(c.Message)})
		}
	}
	if pod.Status.Phase == corev1.PodFailed && pod.Status.Reason != "" {
		causes = append(causes, Cause{Object: object, Reason: pod.Status.Reason, Message: engine.OneLine(pod.Status.Message)})
	}
	for _, c := range pod.containers() {
		if w := c.State.Waiting; w != nil && !engine.IsStart(w.Reason) {
			causes = append(causes, Cause{Object: object, Reason: w.Reason, Message: engine.OneLine(c.Name + ": " + w.Message)})
		}
	}
	return causes
}

func failedContainers(pod *pod) (failed []Container) {
	for _, c := range pod.containers() {
		end := c.State.Terminated
		if end == nil || end.ExitCode == 0 || hasMadeRoom(c.Name, end.ExitCode) {
			continue
		}
		lines := strings.Split(cmp.Or(strings.TrimSpace(end.Message), ending(pod, c.Name, end), end.Reason), "\n")
		failed = append(failed, Container{
			Pod: pod.Name, Name: c.Name, ExitCode: end.ExitCode, Message: lines[len(lines)-1],
		})
	}
	return failed
}

// ending returns why the script of a step without helpers has ended, in the words of the runner of other steps. For other
// containers it is empty.
func ending(pod *pod, name string, end *corev1.ContainerStateTerminated) string {
	if name != contract.MainContainer || end.Reason != "Error" && end.Reason != oomKilled {
		return ""
	}
	step := fmt.Sprintf("step %q: ", pod.Labels[contract.StepKey])
	number := end.ExitCode - signaled
	switch {
	case pod.Status.Reason == deadlineExceeded && pod.Spec.ActiveDeadlineSeconds != nil && !hasHelper(pod):
		limit := time.Duration(*pod.Spec.ActiveDeadlineSeconds) * time.Second
		return step + fmt.Sprintf("the script timed out after %s: raise stepTimeoutSeconds of render-phase, or "+
			"activeDeadlineSeconds of the overlay", limit)
	case number <= 0 || signals[number] == "":
		return step + fmt.Sprintf("the script exited with %d", end.ExitCode)
	case end.Reason == oomKilled:
		return step + "the script was killed by " + signals[number] + ": out of memory; raise the memory limit of main"
	}
	return step + "the script was killed by " + signals[number]
}

// hasHelper reports whether a helper is in the Pod. Its own deadline is then longer than that of the script.
func hasHelper(pod *pod) bool {
	return slices.ContainsFunc(pod.Spec.InitContainers, func(c corev1.Container) bool {
		return c.Name == contract.InputManager
	})
}

// Reasons in the status of Pods and containers.
const (
	oomKilled        = "OOMKilled"
	deadlineExceeded = "DeadlineExceeded"
)

// signaled plus the number of a signal is the exit code of a container that the signal has ended.
const signaled = 128

// signals are those that end programs, by their numbers on Linux.
var signals = map[int32]string{
	1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV",
	13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
}

// hasMadeRoom reports whether a helper container ended only to make room for another Pod.
func hasMadeRoom(name string, exitCode int32) bool {
	helpers := []string{contract.InputManager, contract.HelperCopy, contract.HelperCleanup}
	return exitCode == contract.ExitWaited && slices.Contains(helpers, name)
}
