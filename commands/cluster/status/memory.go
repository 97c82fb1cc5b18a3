package status

import (
	"maps"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
	"github.com/resource-plugins/krm-functions/internal/engines"
)

// Memory has the Jobs that were seen while a command waits, for those that are removed soon after their end
// (ttlSecondsAfterFinished).
type Memory struct{ seen map[types.UID]*batchv1.Job }

// See remembers the Jobs that exist and will be removed after their end.
func (m *Memory) See(o *Objects) {
	if m.seen == nil {
		m.seen = map[types.UID]*batchv1.Job{}
	}
	for _, job := range o.jobs() {
		if job.Spec.TTLSecondsAfterFinished != nil && job.UID != "" {
			m.seen[job.UID] = job
		}
	}
}

// Gone returns the namespaces of remembered Jobs that do not exist any more, and that had not ended when they were last
// seen. Their events tell how they ended.
func (m *Memory) Gone(o *Objects) (namespaces []string) {
	for _, job := range m.gone(o) {
		if !hasEnded(job) && !slices.Contains(namespaces, job.Namespace) {
			namespaces = append(namespaces, job.Namespace)
		}
	}
	slices.Sort(namespaces)
	return namespaces
}

// Restore adds the remembered Jobs that have ended and do not exist any more.
func (m *Memory) Restore(o *Objects) {
	jobsEngine := engines.Named(jobs.Name)
	for _, job := range m.gone(o) {
		if !hasEnded(job) && !o.end(job) {
			continue
		}
		m.seen[job.UID] = job
		if o.objects == nil {
			o.objects = map[engine.Engine][]*engine.Object{}
		}
		o.objects[jobsEngine] = append(o.objects[jobsEngine],
			&engine.Object{ObjectMeta: &job.ObjectMeta, Kind: jobs.Job, Value: job})
	}
}

// gone returns copies of the remembered Jobs whose names no Job has, in the order of their names.
func (m *Memory) gone(o *Objects) []*batchv1.Job {
	exists := map[identity]bool{}
	for _, job := range o.jobs() {
		exists[identity{jobs.Job, job.Namespace, job.Name}] = true
	}
	newest := map[identity]*batchv1.Job{}
	for _, job := range m.seen {
		id := identity{jobs.Job, job.Namespace, job.Name}
		if last := newest[id]; !exists[id] && (last == nil || last.CreationTimestamp.Before(&job.CreationTimestamp)) {
			newest[id] = job.DeepCopy()
		}
	}
	return slices.SortedFunc(maps.Values(newest), func(a, b *batchv1.Job) int {
		if a.Namespace+"/"+a.Name < b.Namespace+"/"+b.Name {
			return -1
		}
		return 1
	})
}

// end adds to a Job that was removed the condition that its events tell. It reports whether they do.
func (o *Objects) end(job *batchv1.Job) bool {
	for _, e := range o.events {
		condition := endings[e.Reason]
		if e.object().UID != job.UID || e.object().Kind != jobs.Job || condition == "" {
			continue
		}
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
			Type: condition, Status: corev1.ConditionTrue, Reason: e.Reason, Message: e.message(), LastTransitionTime: e.time(),
		})
		return true
	}
	return false
}

// endings are the reasons of the events about the ends of Jobs.
var endings = map[string]batchv1.JobConditionType{
	"Completed": batchv1.JobComplete, batchv1.JobReasonBackoffLimitExceeded: batchv1.JobFailed,
	batchv1.JobReasonDeadlineExceeded: batchv1.JobFailed, batchv1.JobReasonPodFailurePolicy: batchv1.JobFailed,
}

func hasEnded(job *batchv1.Job) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Status == corev1.ConditionTrue && (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed)
	})
}

func (o *Objects) jobs() (found []*batchv1.Job) {
	for _, object := range o.objects[engines.Named(jobs.Name)] {
		if job, isJob := object.Value.(*batchv1.Job); isJob {
			found = append(found, job)
		}
	}
	return found
}
