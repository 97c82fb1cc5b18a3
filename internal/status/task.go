package status

import (
	"encoding/json"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/render/engine"
	"github.com/resource-plugins/krm-functions/pkg/render/engine/argo"
	"github.com/resource-plugins/krm-functions/pkg/render/engine/tekton"
)

// The kinds of workloads. A Job or a Pod runs one task, a Workflow or a PipelineRun all of a phase.
const (
	jobKind         = "Job"
	podKind         = "Pod"
	workflowKind    = argo.Kind
	pipelineRunKind = tekton.Kind
)

// Other kinds that are read.
const (
	secretKind  = "Secret"
	taskRunKind = "TaskRun"
	eventKind   = "Event"
)

// workloadKinds are the kinds of workloads.
var workloadKinds = []string{jobKind, podKind, workflowKind, pipelineRunKind}

// task is a step or a helper as a workload runs it. It is all that the rules, causes and pictures know of a workload.
type task struct {
	// ObjectMeta is that of the workload, with the labels and annotations of the task.
	metav1.ObjectMeta
	// kind is that of the workload, and name what a Workflow or PipelineRun calls the task; empty for a Job or Pod.
	kind, name string
	// secrets are the annotations with the names of Secrets.
	secrets map[string]string
	plan    contract.Plan
	// isActive is set if the workload has not ended.
	isActive bool
	progress
	// pods are names of Pods of the task, and stem is what the names of others begin with, up to the last hyphen.
	pods []string
	stem string
	// status is that of a Job or Pod for the template; nil for others, of which the template gets the progress.
	status      any
	isSuspended bool
}

// progress is how far a task is.
type progress struct {
	// end is complete or failed; empty if the task has not ended.
	end string
	// reason is the one of a failure, as events give it, and failure the words for a task of a Workflow or PipelineRun.
	reason, failure string
	// now is what a task of a Workflow or PipelineRun does that has not ended.
	now string
	// since is when the task has ended, or else when it or its workload was started or made.
	since metav1.Time
	// failed and tries are how many attempts have failed, and how many there may be; no tries if that is not limited.
	failed, tries int
	// cause is what an engine says of a Pod that does not get on; nil if nothing.
	cause *Cause
}

// The ends of a task, by the names of a Job's conditions.
const (
	complete = string(batchv1.JobComplete)
	failed   = string(batchv1.JobFailed)
)

func ofJob(j *batchv1.Job) *task {
	t := &task{
		ObjectMeta: j.ObjectMeta, kind: jobKind, secrets: j.Spec.Template.Annotations, plan: planOf(&j.Spec.Template.Spec),
		stem: j.Name, status: &j.Status, isSuspended: j.Spec.Suspend != nil && *j.Spec.Suspend,
	}
	t.since = j.CreationTimestamp
	if j.Status.StartTime != nil {
		t.since = *j.Status.StartTime
	}
	if j.Spec.BackoffLimit != nil {
		t.failed, t.tries = int(j.Status.Failed), int(*j.Spec.BackoffLimit)+1
	}
	for _, end := range []batchv1.JobConditionType{batchv1.JobFailed, batchv1.JobComplete} {
		for _, c := range j.Status.Conditions {
			if c.Type == end && c.Status == corev1.ConditionTrue {
				t.end, t.reason, t.since = string(end), c.Reason, c.LastTransitionTime
			}
		}
	}
	t.isActive = t.end == ""
	return t
}

func ofPod(p *corev1.Pod) *task {
	t := &task{
		ObjectMeta: p.ObjectMeta, kind: podKind, secrets: p.Annotations, plan: planOf(&p.Spec), pods: []string{p.Name},
		status: &p.Status,
	}
	switch p.Status.Phase { //nolint:exhaustive // the other phases are no ends
	case corev1.PodSucceeded:
		t.end = complete
	case corev1.PodFailed:
		t.end = failed
	}
	t.isActive = t.end == ""
	t.since = p.CreationTimestamp
	for _, c := range containersOf(p) {
		if end := c.State.Terminated; !t.isActive && end != nil && t.since.Before(&end.FinishedAt) {
			t.since = end.FinishedAt
		}
	}
	return t
}

// podMetadata is that of the Pods of an engine's task.
type podMetadata struct {
	Annotations map[string]string `json:"annotations"`
	Labels      map[string]string `json:"labels"`
}

// ofEngine returns a task of a workload of an engine, whose Pods have so much metadata and such containers.
func ofEngine(kind string, of metav1.ObjectMeta, name string, m podMetadata, containers []corev1.Container) *task {
	t := &task{
		ObjectMeta: of, kind: kind, name: name, secrets: m.Annotations,
		plan: planOf(&corev1.PodSpec{Containers: containers}),
	}
	t.Labels, t.Annotations = engine.Merged(of.Labels, m.Labels), engine.Merged(of.Annotations, m.Annotations)
	return t
}

// tasks returns those of all workloads.
func (o *Objects) tasks() []*task {
	var all []*task
	for _, j := range o.jobs {
		all = append(all, ofJob(j))
	}
	for _, p := range o.pods {
		if runnerOf(p).kind == podKind {
			all = append(all, ofPod(p))
		}
	}
	for _, w := range o.workflows {
		all = append(all, w.tasks()...)
	}
	taskRuns := o.taskRunsOf()
	for _, p := range o.pipelineRuns {
		all = append(all, p.tasks(taskRuns[identity{pipelineRunKind, p.Metadata.Namespace, p.Metadata.Name}])...)
	}
	return all
}

// object is how messages name the workload.
func (t *task) object() string { return strings.ToLower(t.kind) + "/" + t.Name }

// logs is the command that prints those of an engine's task: all of them, which is not kubectl's default for a selector.
func (t *task) logs() string {
	key := contract.StepKey
	if t.Labels[key] == "" {
		key = contract.HelperKey
	}
	return "kubectl logs -n " + t.Namespace + " -l " + podLabels[t.kind] + "=" + t.Name + "," + key + "=" + t.Labels[key] +
		" --all-containers --tail -1"
}

func (t *task) phase() string { return t.Labels[contract.PhaseKey] }

// generation is what the step is made from; that of a task of an earlier render is another.
func (t *task) generation() string { return t.Annotations[contract.GenerationKey] }

func (t *task) output() string { return t.secrets[contract.OutputSecretKey] }

// inputs are the names of the Secrets that are read.
func (t *task) inputs() []string {
	var names []string
	for i := range contract.MaxSecrets {
		if name := t.secrets[contract.InputSecretKey(i)]; name != "" {
			names = append(names, name)
		}
	}
	return names
}

// dependsOn are the steps that this one waits for.
func (t *task) dependsOn() []string {
	steps := t.Annotations[contract.DependsOnKey]
	if steps == "" {
		return nil
	}
	return strings.Split(steps, ",")
}

// part is what a task does in its resource: there is one task for it at a time, but for those of earlier renders.
type part struct{ phase, step, helper, copyTo, namespace string }

func (t *task) part() part {
	return part{
		t.phase(), t.Labels[contract.StepKey], t.Labels[contract.HelperKey], t.Annotations[contract.CopyToKey], t.Namespace,
	}
}

// isOfEngine reports whether the workload runs all tasks of a phase.
func (t *task) isOfEngine() bool { return t.kind == workflowKind || t.kind == pipelineRunKind }

// containersOf returns the states of a Pod's containers, in their order.
func containersOf(p *corev1.Pod) []corev1.ContainerStatus {
	return slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses)
}

// planOf returns the plan of a Pod; it is empty for a step that neither reads nor leaves outputs.
func planOf(pod *corev1.PodSpec) (plan contract.Plan) {
	for _, container := range slices.Concat(pod.InitContainers, pod.Containers) {
		at := slices.IndexFunc(container.Env, func(v corev1.EnvVar) bool { return v.Name == contract.PlanVariable })
		if at >= 0 && json.Unmarshal([]byte(container.Env[at].Value), &plan) == nil {
			return plan
		}
	}
	return contract.Plan{}
}

// workloadsOf returns the first task of each workload, in their order.
func workloadsOf(tasks []*task) []*task {
	seen := map[identity]bool{}
	var first []*task
	for _, t := range tasks {
		if !seen[t.identity()] {
			seen[t.identity()] = true
			first = append(first, t)
		}
	}
	return first
}

// step is the name of the step or helper, as the template prints it.
func (t *task) step() string {
	if helper := t.Labels[contract.HelperKey]; helper != "" {
		return helper
	}
	return t.Labels[contract.StepKey]
}
