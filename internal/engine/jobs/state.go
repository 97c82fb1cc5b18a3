package jobs

import (
	"cmp"
	"encoding/json"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/engine"
)

// Decode implements engine.Engine.
func (Engine) Decode(kind string, text []byte) (*engine.Decoded, error) {
	if kind == Pod {
		var pod corev1.Pod
		err := json.Unmarshal(text, &pod)
		template := corev1.PodTemplateSpec{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}
		task := engine.DecodedTask{Job: batchv1.JobSpec{Template: template}}
		return &engine.Decoded{ObjectMeta: pod.ObjectMeta, Tasks: []engine.DecodedTask{task}}, err
	}
	var job batchv1.Job
	err := json.Unmarshal(text, &job)
	return &engine.Decoded{ObjectMeta: job.ObjectMeta, Tasks: []engine.DecodedTask{{Job: job.Spec}}}, err
}

// Read implements engine.Engine.
func (Engine) Read(kind string, text []byte) (*engine.Object, error) {
	if kind == Pod {
		pod := &corev1.Pod{}
		return engine.NewObject(kind, text, pod, &pod.ObjectMeta)
	}
	job := &batchv1.Job{}
	o, err := engine.NewObject(kind, text, job, &job.ObjectMeta)
	for _, c := range job.Status.Conditions {
		o.Times = append(o.Times, c.LastTransitionTime, c.LastProbeTime)
	}
	if job.Status.StartTime != nil {
		o.Times = append(o.Times, *job.Status.StartTime)
	}
	return o, err
}

// States implements engine.Engine. Its Pods must only be those that no controller created.
func (Engine) States(objects []*engine.Object) []*engine.State {
	states := make([]*engine.State, len(objects))
	for i, o := range objects {
		switch value := o.Value.(type) {
		case *batchv1.Job:
			states[i] = jobState(value)
		case *corev1.Pod:
			states[i] = podState(value)
		}
	}
	return states
}

func jobState(j *batchv1.Job) *engine.State {
	s := &engine.State{
		ObjectMeta: j.ObjectMeta, Kind: jobKind, Secrets: j.Spec.Template.Annotations, Stem: j.Name,
		Plan:  engine.PlanOf(engine.Env(j.Spec.Template.Spec.InitContainers, j.Spec.Template.Spec.Containers)),
		Since: j.CreationTimestamp, HasStarted: j.Status.StartTime != nil || j.Status.Active > 0,
		TTLSeconds: j.Spec.TTLSecondsAfterFinished,
	}
	if j.Status.StartTime != nil {
		s.Since = *j.Status.StartTime
	}
	if j.Spec.BackoffLimit != nil {
		s.FailedTries, s.Tries = int(j.Status.Failed), int(*j.Spec.BackoffLimit)+1
	}
	for _, end := range []batchv1.JobConditionType{batchv1.JobFailed, batchv1.JobComplete} {
		for _, c := range j.Status.Conditions {
			if c.Type == end && c.Status == corev1.ConditionTrue {
				s.End, s.Reason, s.Since = string(end), c.Reason, c.LastTransitionTime
				s.Failure = failure(s, c.Reason, c.Message)
			}
		}
	}
	s.IsActive = s.End == ""
	switch {
	case j.Spec.Suspend != nil && *j.Spec.Suspend:
		s.Now = engine.Suspended
	case j.Status.Ready != nil && *j.Status.Ready > 0:
		s.Now = engine.Running
	case j.Status.Active > 0:
		s.Now = engine.Starting
	default:
		s.Now = "has started no Pod; see kubectl describe -n " + s.Namespace + " " + s.Object()
	}
	return s
}

// podState returns the state of a Pod without a Job.
func podState(p *corev1.Pod) *engine.State {
	s := &engine.State{
		ObjectMeta: p.ObjectMeta, Kind: podKind, Secrets: p.Annotations, Pods: []string{p.Name},
		Plan: engine.PlanOf(engine.Env(p.Spec.InitContainers, p.Spec.Containers)),
		Now:  "is " + string(cmp.Or(p.Status.Phase, corev1.PodPending)), Since: p.CreationTimestamp,
		HasStarted: p.Status.Phase != "",
	}
	switch p.Status.Phase { //nolint:exhaustive // the other phases are not ends
	case corev1.PodSucceeded:
		s.End = engine.Complete
	case corev1.PodFailed:
		s.End = engine.Failed
		s.Failure = failure(s, cmp.Or(p.Status.Reason, "Failed"), cmp.Or(p.Status.Message, "a container has failed"))
	}
	s.IsActive = s.End == ""
	for _, c := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		if end := c.State.Terminated; !s.IsActive && end != nil && s.Since.Before(&end.FinishedAt) {
			s.Since = end.FinishedAt
		}
	}
	return s
}

func failure(s *engine.State, reason, message string) string {
	return reason + ": " + engine.OneLine(message) + "; see kubectl logs -n " + s.Namespace +
		" " + s.Object() + " --all-containers"
}

// Owner implements engine.Engine.
func (Engine) Owner(pod *corev1.Pod) (owner engine.Owner, isOwn bool) {
	name := pod.Labels[batchv1.JobNameLabel]
	i := slices.IndexFunc(pod.OwnerReferences, func(o metav1.OwnerReference) bool { return o.Kind == Job })
	if name == "" && i >= 0 {
		name = pod.OwnerReferences[i].Name
	}
	return engine.Owner{Kind: Job, Name: name}, name != ""
}
