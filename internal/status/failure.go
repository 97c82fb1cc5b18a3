package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

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

// maxCauses is how many causes a step has: the newest.
const maxCauses = 5

// UnreadyJobs returns the names of the Jobs that exist and are not ready, by namespace: their Pods and events say why.
func (r *Report) UnreadyJobs() map[string][]string {
	jobs := map[string][]string{}
	for _, step := range r.Steps {
		if name, isJob := strings.CutPrefix(step.Object, "job/"); isJob && step.State != Ready && step.State != Missing {
			jobs[step.Namespace] = append(jobs[step.Namespace], name)
		}
	}
	return jobs
}

// explain adds to the steps that are not ready what their Pods and events say.
func (o *Objects) explain(report *Report) {
	report.Unknown = o.unknown(report)
	pods := map[identity][]*corev1.Pod{}
	for _, p := range o.pods {
		of := identity{"Job", p.Namespace, jobOf(p)}
		if of.name == "" {
			of = identity{"Pod", p.Namespace, p.Name}
		}
		pods[of] = append(pods[of], p)
	}
	events := o.eventsByObject()
	for i := range report.Steps {
		s := &report.Steps[i]
		if s.State == Ready || s.of == nil {
			continue
		}
		s.tellAttempts()
		of := identity{s.of.kind(), s.of.Namespace, s.of.Name}
		for _, pod := range pods[of] {
			s.Containers = append(s.Containers, failedContainers(pod)...)
			s.Causes = append(s.Causes, podCauses(pod)...)
		}
		s.addEvents(events[of])
	}
}

// tellAttempts adds to a Job that tries again how often it has failed.
func (s *Step) tellAttempts() {
	job := s.of.job
	if s.State != InProgress || job == nil || job.Status.Failed == 0 || job.Spec.BackoffLimit == nil {
		return
	}
	s.Detail += fmt.Sprintf("; %d of %d attempts have failed", job.Status.Failed, *job.Spec.BackoffLimit+1)
}

// eventsByObject returns the warnings of each Job, with those of its Pods, and of each Pod, the newest first.
func (o *Objects) eventsByObject() map[identity][]*event {
	jobs := map[identity]bool{}
	for _, j := range o.jobs {
		jobs[identity{"Job", j.Namespace, j.Name}] = true
	}
	found := map[identity][]*event{}
	for _, e := range o.events {
		if e.Type != corev1.EventTypeWarning {
			continue
		}
		of := identity{e.object().Kind, e.object().Namespace, e.object().Name}
		found[of] = append(found[of], e)
		// The Pod may be gone; its name is that of its Job with a suffix.
		if end := strings.LastIndex(of.name, "-"); of.kind == "Pod" && end > 0 {
			if job := (identity{"Job", of.namespace, of.name[:end]}); jobs[job] {
				found[job] = append(found[job], e)
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
	said := map[string]bool{}
	for _, c := range s.Causes {
		said[c.Reason] = true
		for _, reason := range repeats[c.Reason] {
			said[reason] = true
		}
	}
	if s.of.job != nil {
		if failed := s.of.end(batchv1.JobFailed); failed != nil {
			said[failed.Reason] = true
		}
	}
	for _, e := range events {
		if !said[e.Reason] && len(s.Causes) < maxCauses {
			said[e.Reason] = true
			object := strings.ToLower(e.object().Kind) + "/" + e.object().Name
			s.Causes = append(s.Causes, Cause{object, e.Reason, oneLine(e.message())})
		}
	}
}

// repeats are the reasons of events that say the same as a Pod's status.
var repeats = map[string][]string{
	corev1.PodReasonUnschedulable: {"FailedScheduling"},
	"ImagePullBackOff":            {"BackOff", "Failed", "ErrImagePull"},
	"ErrImagePull":                {"BackOff", "Failed", "ImagePullBackOff"},
	"InvalidImageName":            {"InspectFailed", "Failed"},
	"CreateContainerConfigError":  {"Failed"},
	"CreateContainerError":        {"Failed"},
}

// starts are the reasons of a container that waits because it starts.
var starts = []string{"", "PodInitializing", "ContainerCreating"}

// podCauses returns why a Pod does not run.
func podCauses(pod *corev1.Pod) []Cause {
	var causes []Cause
	object := "pod/" + pod.Name
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			causes = append(causes, Cause{object, c.Reason, oneLine(c.Message)})
		}
	}
	if pod.Status.Phase == corev1.PodFailed && pod.Status.Reason != "" {
		causes = append(causes, Cause{object, pod.Status.Reason, oneLine(pod.Status.Message)})
	}
	for _, c := range containersOf(pod) {
		if w := c.State.Waiting; w != nil && !slices.Contains(starts, w.Reason) {
			causes = append(causes, Cause{object, w.Reason, oneLine(c.Name + ": " + w.Message)})
		}
	}
	return causes
}

// oneLine joins the lines of a message.
func oneLine(message string) string { return strings.Join(strings.Fields(message), " ") }

func failedContainers(pod *corev1.Pod) (failed []Container) {
	for _, status := range containersOf(pod) {
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
