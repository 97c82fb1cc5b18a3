package status

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/render/engine/tekton"
)

// pipelineRun has the fields of a PipelineRun of Tekton that matter here
// (https://tekton.dev/docs/pipelines/pipelineruns/#monitoring-execution-status).
type pipelineRun struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Status       string `json:"status"`
		PipelineSpec struct {
			Tasks []pipelineTask `json:"tasks"`
		} `json:"pipelineSpec"`
	} `json:"spec"`
	Status struct {
		runStatus
		ChildReferences []struct {
			Name             string `json:"name"`
			PipelineTaskName string `json:"pipelineTaskName"`
		} `json:"childReferences"`
		SkippedTasks []struct {
			Name   string `json:"name"`
			Reason string `json:"reason"`
		} `json:"skippedTasks"`
	} `json:"status"`
}

type pipelineTask struct {
	Name     string   `json:"name"`
	Retries  int      `json:"retries"`
	RunAfter []string `json:"runAfter"`
	TaskSpec struct {
		Metadata podMetadata        `json:"metadata"`
		Steps    []corev1.Container `json:"steps"`
	} `json:"taskSpec"`
}

// taskRun has the fields of a TaskRun of Tekton that matter here.
type taskRun struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Status   struct {
		runStatus
		PodName       string `json:"podName"`
		RetriesStatus []struct {
			PodName string `json:"podName"`
		} `json:"retriesStatus"`
	} `json:"status"`
}

// runStatus is what the status of PipelineRuns and TaskRuns have in common.
type runStatus struct {
	Conditions     []metav1.Condition `json:"conditions"`
	StartTime      *metav1.Time       `json:"startTime"`
	CompletionTime *metav1.Time       `json:"completionTime"`
}

// succeeded returns the condition that says how a run is; its status is Unknown until the run has ended.
func (s *runStatus) succeeded() metav1.Condition {
	for _, c := range s.Conditions {
		if c.Type == "Succeeded" {
			return c
		}
	}
	return metav1.Condition{}
}

func (s *runStatus) hasEnded() bool {
	c := s.succeeded().Status
	return c == metav1.ConditionTrue || c == metav1.ConditionFalse
}

// since is when a run has ended, or else was started; other if neither is known.
func (s *runStatus) since(other metav1.Time) metav1.Time {
	for _, t := range []*metav1.Time{s.CompletionTime, s.StartTime} {
		if t != nil && !t.IsZero() {
			return *t
		}
	}
	return other
}

// Labels of TaskRuns and Pods.
const (
	// PipelineRunLabel has the name of their PipelineRun.
	PipelineRunLabel  = tekton.Group + "/pipelineRun"
	pipelineTaskLabel = tekton.Group + "/pipelineTask"
)

// PipelineRuns returns the names of those that exist, by namespace.
func (o *Objects) PipelineRuns() map[string][]string {
	names := map[string][]string{}
	for _, p := range o.pipelineRuns {
		names[p.Metadata.Namespace] = append(names[p.Metadata.Namespace], p.Metadata.Name)
	}
	return names
}

// pending is the spec.status of a PipelineRun that its user holds back.
const pending = "PipelineRunPending"

// taskRunsOf returns the TaskRuns of each PipelineRun, by their tasks.
func (o *Objects) taskRunsOf() map[identity]map[string]*taskRun {
	all := map[identity]map[string]*taskRun{}
	for _, r := range o.taskRuns {
		of := identity{pipelineRunKind, r.Metadata.Namespace, r.Metadata.Labels[PipelineRunLabel]}
		if all[of] == nil {
			all[of] = map[string]*taskRun{}
		}
		all[of][r.Metadata.Labels[pipelineTaskLabel]] = r
	}
	return all
}

// tasks returns those of the pipeline, which has these TaskRuns.
func (p *pipelineRun) tasks(own map[string]*taskRun) []*task {
	all := make([]*task, len(p.Spec.PipelineSpec.Tasks))
	for i := range p.Spec.PipelineSpec.Tasks {
		of := &p.Spec.PipelineSpec.Tasks[i]
		t := ofEngine(pipelineRunKind, p.Metadata, of.Name, of.TaskSpec.Metadata, of.TaskSpec.Steps)
		t.isActive = !p.Status.hasEnded()
		if of.Retries > 0 {
			t.tries = of.Retries + 1
		}
		if run := own[of.Name]; run != nil {
			t.seeRun(p, run)
		} else {
			t.seeNoRun(p, own)
		}
		all[i] = t
	}
	return all
}

// seeRun takes what the TaskRun of a task says.
func (t *task) seeRun(p *pipelineRun, r *taskRun) {
	t.since = r.Status.since(r.Metadata.CreationTimestamp)
	t.failed = len(r.Status.RetriesStatus)
	for _, try := range r.Status.RetriesStatus {
		t.pods = append(t.pods, try.PodName)
	}
	t.pods = append(t.pods, r.Status.PodName)
	switch c := r.Status.succeeded(); {
	case c.Status == metav1.ConditionTrue:
		t.end = complete
	case c.Status == metav1.ConditionFalse:
		t.end, t.reason = failed, c.Reason
		t.failure = failureOf(c.Reason, c.Message) + "; see " + t.logs()
	case p.Status.hasEnded():
		c = p.Status.succeeded()
		t.end, t.reason = failed, c.Reason
		t.failure = failureOf(c.Reason, c.Message) + "; see " + t.logs()
	case c.Reason == "Running":
		t.now = "runs"
	default:
		t.now = "starts"
		if c.Message != "" && !slices.Contains(startingRuns, c.Reason) && !startingPod.MatchString(c.Message) {
			t.cause = &Cause{"taskrun/" + r.Metadata.Name, c.Reason, report.OneLine(c.Message)}
		}
	}
}

// startingRuns are the reasons of a TaskRun that will run if nothing happens.
var startingRuns = []string{"", "Started", "ToBeRetried"}

// startingPod matches what Tekton says of a Pod that has a node and starts
// (https://github.com/tektoncd/pipeline/blob/v1.15.0/pkg/pod/status.go).
var startingPod = regexp.MustCompile(
	`^(Pending$|pod status "(ContainersReady|Initialized|PodReadyToStartContainers|Ready)":"False")`)

// seeNoRun is for a task that has no TaskRun, as far as is known.
func (t *task) seeNoRun(p *pipelineRun, runs map[string]*taskRun) {
	t.since = p.Status.since(p.Metadata.CreationTimestamp)
	c := p.Status.succeeded()
	switch name := p.runOf(t.name); {
	case c.Status == metav1.ConditionTrue:
		t.end = complete
	case c.Status == metav1.ConditionFalse && name != "":
		t.end, t.failure = failed, "a task of the PipelineRun has failed, which one is not known; see "+t.logs()
	case c.Status == metav1.ConditionFalse:
		t.end, t.failure = failed, notStarted(p.failedSteps(runs), cmp.Or(p.skipped(t.name), failureOf(c.Reason, c.Message)))
	case name != "":
		t.now = fmt.Sprintf("is not known: its TaskRun %q is not", name)
	case p.Spec.Status == pending:
		t.now = "is suspended"
	case c.Type == "":
		t.now = "is not started: no controller has seen it; see kubectl describe -n " + t.Namespace + " " + t.object()
	default:
		t.now = "starts"
	}
}

// runOf returns the name of the TaskRun of a task, empty if there is none.
func (p *pipelineRun) runOf(task string) string {
	for _, child := range p.Status.ChildReferences {
		if child.PipelineTaskName == task {
			return child.Name
		}
	}
	return ""
}

// skipped returns why Tekton has skipped a task, empty if it has not.
func (p *pipelineRun) skipped(task string) string {
	for _, skipped := range p.Status.SkippedTasks {
		if skipped.Name == task {
			return skipped.Reason
		}
	}
	return ""
}

// failedSteps are the steps whose TaskRuns have failed: Tekton starts no others then.
func (p *pipelineRun) failedSteps(runs map[string]*taskRun) []string {
	var names []string
	for i := range p.Spec.PipelineSpec.Tasks {
		of := &p.Spec.PipelineSpec.Tasks[i]
		if r := runs[of.Name]; r != nil && r.Status.succeeded().Status == metav1.ConditionFalse {
			labels := of.TaskSpec.Metadata.Labels
			names = append(names, cmp.Or(labels[contract.StepKey], labels[contract.HelperKey], of.Name))
		}
	}
	return names
}

// A container of Tekton ends with a message of its own: a list of these.
type tektonResult struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// tektonResults reads such a message.
func tektonResults(message string) (results []tektonResult, ok bool) {
	return results, json.Unmarshal([]byte(message), &results) == nil && len(results) > 0
}

// tektonPrefixes begin the names of containers that Tekton has made of steps and sidecars.
var tektonPrefixes = []string{"step-", "sidecar-"}
