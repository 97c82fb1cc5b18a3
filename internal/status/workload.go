package status

import (
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// workload is a Job, or a Pod that is rendered instead of one.
type workload struct {
	metav1.ObjectMeta
	job *batchv1.Job // nil for a Pod
	pod *corev1.Pod  // nil for a Job
	// secrets are the annotations with the names of Secrets.
	secrets map[string]string
	spec    *corev1.PodSpec
}

func ofJob(j *batchv1.Job) *workload {
	return &workload{ObjectMeta: j.ObjectMeta, job: j, secrets: j.Spec.Template.Annotations, spec: &j.Spec.Template.Spec}
}

func ofPod(p *corev1.Pod) *workload {
	return &workload{ObjectMeta: p.ObjectMeta, pod: p, secrets: p.Annotations, spec: &p.Spec}
}

// workloads returns the Jobs, and the Pods that no Job has made.
func (o *Objects) workloads() []*workload {
	var all []*workload
	for _, j := range o.jobs {
		all = append(all, ofJob(j))
	}
	for _, p := range o.pods {
		if jobOf(p) == "" {
			all = append(all, ofPod(p))
		}
	}
	return all
}

// jobOf returns the name of the Job that has made a Pod, empty if none has.
func jobOf(p *corev1.Pod) string {
	if name := p.Labels[batchv1.JobNameLabel]; name != "" {
		return name
	}
	for _, owner := range p.OwnerReferences {
		if owner.Kind == "Job" {
			return owner.Name
		}
	}
	return ""
}

func (w *workload) kind() string {
	if w.job != nil {
		return "Job"
	}
	return "Pod"
}

// object is how messages name the workload.
func (w *workload) object() string { return strings.ToLower(w.kind()) + "/" + w.Name }

func (w *workload) phase() string { return w.Labels[contract.PhaseKey] }

// generation is what the step is made from; that of a Pod or Job of an earlier render is another.
func (w *workload) generation() string { return w.Annotations[contract.GenerationKey] }

func (w *workload) output() string { return w.secrets[contract.OutputSecretKey] }

// inputs are the names of the Secrets that are read.
func (w *workload) inputs() []string {
	var names []string
	for i := range contract.MaxSecrets {
		if name := w.secrets[contract.InputSecretKey(i)]; name != "" {
			names = append(names, name)
		}
	}
	return names
}

// dependsOn are the steps that this one waits for.
func (w *workload) dependsOn() []string {
	steps := w.Annotations[contract.DependsOnKey]
	if steps == "" {
		return nil
	}
	return strings.Split(steps, ",")
}

// part is what a workload does in its resource: there is one workload for it at a time, but for those of earlier renders.
type part struct{ phase, step, helper, copyTo, namespace string }

func (w *workload) part() part {
	return part{
		w.phase(), w.Labels[contract.StepKey], w.Labels[contract.HelperKey], w.Annotations[contract.CopyToKey], w.Namespace,
	}
}

func (w *workload) isComplete() bool {
	if w.pod != nil {
		return w.pod.Status.Phase == corev1.PodSucceeded
	}
	return w.end(batchv1.JobComplete) != nil
}

// end returns the condition of a Job that has ended so.
func (w *workload) end(condition batchv1.JobConditionType) *batchv1.JobCondition {
	for i := range w.job.Status.Conditions {
		if c := &w.job.Status.Conditions[i]; c.Type == condition && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}

// isActive reports whether the workload has not ended.
func (w *workload) isActive() bool {
	if w.pod != nil {
		return w.pod.Status.Phase != corev1.PodSucceeded && w.pod.Status.Phase != corev1.PodFailed
	}
	return w.end(batchv1.JobComplete) == nil && w.end(batchv1.JobFailed) == nil
}

// since returns when the workload has ended, or else when it was started or made.
func (w *workload) since() metav1.Time {
	if w.pod != nil {
		since := w.CreationTimestamp
		for _, c := range containersOf(w.pod) {
			if end := c.State.Terminated; !w.isActive() && end != nil && since.Before(&end.FinishedAt) {
				since = end.FinishedAt
			}
		}
		return since
	}
	for _, condition := range []batchv1.JobConditionType{batchv1.JobComplete, batchv1.JobFailed} {
		if c := w.end(condition); c != nil {
			return c.LastTransitionTime
		}
	}
	if w.job.Status.StartTime != nil {
		return *w.job.Status.StartTime
	}
	return w.CreationTimestamp
}

// content is the workload as the template reads it.
func (w *workload) content() (map[string]any, error) {
	var status any
	if w.job != nil {
		status = &w.job.Status
	} else {
		status = &w.pod.Status
	}
	state, err := runtime.DefaultUnstructuredConverter.ToUnstructured(status)
	content := content(w.kind(), w.ObjectMeta)
	content["status"] = state
	if w.job != nil {
		content["spec"] = map[string]any{
			"suspend":  w.job.Spec.Suspend != nil && *w.job.Spec.Suspend,
			"template": map[string]any{"metadata": map[string]any{"annotations": values(w.secrets)}},
		}
	}
	return content, err
}

// content is an object that exists, as the template reads it. Hooks count: what exists has been applied. A dump may be
// without the uid, which objects that do not exist lack.
func content(kind string, m metav1.ObjectMeta) map[string]any {
	annotations := values(m.Annotations)
	for _, hook := range hooks {
		delete(annotations, hook)
	}
	return map[string]any{"kind": kind, "metadata": map[string]any{
		"name": m.Name, "namespace": m.Namespace, "uid": "-", "labels": values(m.Labels), "annotations": annotations,
	}}
}

func values(of map[string]string) map[string]any {
	all := make(map[string]any, len(of))
	for key, value := range of {
		all[key] = value
	}
	return all
}

// containersOf returns the states of a Pod's containers, in their order.
func containersOf(p *corev1.Pod) []corev1.ContainerStatus {
	return slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses)
}
