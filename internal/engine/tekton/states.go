package tekton

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
)

// Read implements engine.Engine.
func (Engine) Read(kind string, text []byte) (*engine.Object, error) {
	if kind == taskRunKind.Name {
		r := &TaskRun{}
		o, err := engine.NewObject(kind, text, r, &r.ObjectMeta)
		o.Times, o.Needs = r.Status.times(), Kind
		return o, err
	}
	r := &PipelineRun{}
	o, err := engine.NewObject(kind, text, r, &r.ObjectMeta)
	if r.Status == nil {
		r.Status = &PipelineRunStatus{}
	}
	o.Times = r.Status.times()
	if len(r.Status.ChildReferences) > 0 {
		o.Needs = taskRunKind.Name
	}
	return o, err
}

func (s *RunStatus) times() []metav1.Time {
	times := make([]metav1.Time, len(s.Conditions), len(s.Conditions)+1)
	for i, c := range s.Conditions {
		times[i] = c.LastTransitionTime
	}
	return append(times, s.since(metav1.Time{}))
}

// succeeded returns the condition with the state of a run; its status is Unknown until the run has ended.
func (s *RunStatus) succeeded() metav1.Condition {
	for _, c := range s.Conditions {
		if c.Type == "Succeeded" {
			return c
		}
	}
	return metav1.Condition{}
}

func (s *RunStatus) hasEnded() bool {
	c := s.succeeded().Status
	return c == metav1.ConditionTrue || c == metav1.ConditionFalse
}

// since returns when a run ended, or otherwise when it started, or other if neither is known.
func (s *RunStatus) since(other metav1.Time) metav1.Time {
	for _, t := range []*metav1.Time{s.CompletionTime, s.StartTime} {
		if t != nil && !t.IsZero() {
			return *t
		}
	}
	return other
}

// States implements engine.Engine.
func (Engine) States(objects []*engine.Object) (all []*engine.State) {
	type name struct{ namespace, name string }
	taskRuns := map[name]map[string]*TaskRun{}
	for _, o := range objects {
		if r, ok := o.Value.(*TaskRun); ok {
			of := name{r.Namespace, r.Labels[runLabel]}
			if taskRuns[of] == nil {
				taskRuns[of] = map[string]*TaskRun{}
			}
			taskRuns[of][r.Labels[taskLabel]] = r
		}
	}
	for _, o := range objects {
		if r, ok := o.Value.(*PipelineRun); ok {
			all = append(all, (&reader{r, taskRuns[name{r.Namespace, r.Name}]}).states()...)
		}
	}
	return all
}

// reader determines the states of a PipelineRun's tasks.
type reader struct {
	*PipelineRun

	taskRuns map[string]*TaskRun
}

func (r *reader) states() []*engine.State {
	all := make([]*engine.State, len(r.Spec.PipelineSpec.Tasks))
	for i := range all {
		of := &r.Spec.PipelineSpec.Tasks[i]
		var env []corev1.EnvVar
		for j := range of.TaskSpec.Steps {
			env = append(env, of.TaskSpec.Steps[j].Env...)
		}
		s := engine.NewState(runKind, r.ObjectMeta, of.Name, of.TaskSpec.Metadata.Annotations, of.TaskSpec.Metadata.Labels, env)
		s.IsActive = !r.Status.hasEnded()
		if of.Retries > 0 {
			s.Tries = of.Retries + 1
		}
		if run := r.taskRuns[of.Name]; run != nil {
			r.setState(s, run)
		} else {
			r.setWithoutRun(s)
		}
		all[i] = s
	}
	return all
}

// setState sets the state of a task from its TaskRun.
func (r *reader) setState(s *engine.State, run *TaskRun) {
	s.Since = run.Status.since(run.CreationTimestamp)
	s.FailedTries = len(run.Status.RetriesStatus)
	for _, try := range run.Status.RetriesStatus {
		s.Pods = append(s.Pods, try.PodName)
	}
	s.Pods = append(s.Pods, run.Status.PodName)
	switch c := run.Status.succeeded(); {
	case c.Status == metav1.ConditionTrue:
		s.End = engine.Complete
	case c.Status == metav1.ConditionFalse:
		s.Fail(c.Reason, c.Message)
	case r.Status.hasEnded():
		whole := r.Status.succeeded()
		s.Fail(whole.Reason, whole.Message)
	case c.Reason == "Running":
		s.Now = engine.Running
	default:
		s.Now = engine.Starting
		if c.Message != "" && !slices.Contains(startingRuns, c.Reason) && !startingPod().MatchString(c.Message) {
			s.Cause = &engine.Cause{Object: "taskrun/" + run.Name, Reason: c.Reason, Message: engine.OneLine(c.Message)}
		}
	}
}

// startingRuns are the reasons of a TaskRun that is going to run.
var startingRuns = []string{"", "Started", "ToBeRetried"}

// startingPod matches Tekton's messages about a scheduled Pod that is starting
// (https://github.com/tektoncd/pipeline/blob/v1.15.0/pkg/pod/status.go).
var startingPod = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(Pending$|pod status "(ContainersReady|Initialized|PodReadyToStartContainers|Ready)":"False")`)
})

// held is the spec.status of a PipelineRun that its user has put on hold.
const held = "PipelineRunPending"

// setWithoutRun sets the state of a task without a known TaskRun.
func (r *reader) setWithoutRun(s *engine.State) {
	s.Since = r.Status.since(r.CreationTimestamp)
	c, run := r.Status.succeeded(), r.runOf(s.Task)
	switch {
	case c.Status == metav1.ConditionTrue:
		s.End = engine.Complete
	case c.Status == metav1.ConditionFalse && run != "":
		s.FailUnknown()
	case c.Status == metav1.ConditionFalse:
		s.FailUnstarted(r.failedSteps(), cmp.Or(r.skipped(s.Task), engine.Words(c.Reason, c.Message)))
	case run != "":
		s.Now = fmt.Sprintf("is not known: its TaskRun %q is not", run)
	case r.Spec.Status == held:
		s.Now = engine.Suspended
	case c.Type == "":
		s.Unseen()
	default:
		s.Now = engine.Starting
	}
}

// runOf returns the name of the TaskRun of a task, or "".
func (r *reader) runOf(task string) string {
	for _, child := range r.Status.ChildReferences {
		if child.PipelineTaskName == task {
			return child.Name
		}
	}
	return ""
}

// skipped returns the reason why Tekton has skipped a task, or "".
func (r *reader) skipped(task string) string {
	for _, skipped := range r.Status.SkippedTasks {
		if skipped.Name == task {
			return skipped.Reason
		}
	}
	return ""
}

// failedSteps returns the steps whose TaskRuns have failed. Tekton then starts no others.
func (r *reader) failedSteps() (names []string) {
	for i := range r.Spec.PipelineSpec.Tasks {
		of := &r.Spec.PipelineSpec.Tasks[i]
		if run := r.taskRuns[of.Name]; run != nil && run.Status.succeeded().Status == metav1.ConditionFalse {
			labels := of.TaskSpec.Metadata.Labels
			names = append(names, cmp.Or(labels[contract.StepKey], labels[contract.HelperKey], of.Name))
		}
	}
	return names
}
