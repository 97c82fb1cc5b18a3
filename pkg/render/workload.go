package render

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
	"github.com/resource-plugins/krm-functions/internal/engines"
)

// workloadKinds are the kinds of workloads of all engines.
var workloadKinds = engines.Workloads()

func (o *Options) engine() engine.Engine { return engines.Named(o.Engine) }

func (o *Options) engineOptions() engine.Options {
	return engine.Options{
		Workload: o.Workload, Retries: o.Retries, TTLSecondsAfterFinished: o.TTLSecondsAfterFinished,
		IsRestricted: o.PodSecurity == restricted,
	}
}

// workloadKind is the kind of the workloads.
func (o *Options) workloadKind() string {
	kinds := o.engine().Traits().Kinds
	if i := slices.IndexFunc(kinds, func(k engine.Kind) bool { return k.Name == o.Workload }); i >= 0 {
		return o.Workload
	}
	return kinds[0].Name
}

// start begins the run of the phase.
func (r *renderer) start() {
	m := r.objectMetadata(r.metadata(r.phase, nil))
	r.run = r.engine.Start(r.options.engineOptions(), engine.Phase{
		Name: string(r.phase), Texts: []string{r.Sandbox, r.Resource}, Metadata: m.of(r.namespace, ""),
	})
}

// task adds a task that waits for steps of the phase, and is the last of so many that run one after the other. It
// returns the name of its Job, or an empty string if it has no separate Job.
func (r *renderer) task(t engine.Task, producers []*step, depth int) string {
	r.checkAnnotations(t.Name, t.Template.Annotations)
	t.TrySeconds, t.Seconds = r.stepSeconds(), r.jobDeadline(depth)
	for _, producer := range producers {
		if i, isTask := r.tasks[producer.ref]; isTask {
			t.After = append(t.After, i)
		}
	}
	r.count++
	own := r.run.Add(t)
	if own == nil {
		return ""
	}
	r.addWorkload(own, t.Name)
	if !r.hasJobs {
		return ""
	}
	return own.GetName()
}

// finish adds the workload of all tasks, if there is one.
func (r *renderer) finish() {
	if all := r.run.Finish(); all != nil {
		r.addWorkload(all, "")
	}
}

func (r *renderer) addWorkload(w *engine.Workload, step string) {
	r.checkSize(step, w.SpecBytes)
	r.add(w.GetObjectKind().GroupVersionKind().Kind, w.Manifest)
}

// JobSpec returns the spec of a Job that must end within so many seconds. Of its Pods that fail, those count that the
// cluster did not take away and that no rule ignores.
func (o *Options) JobSpec(
	template *corev1.PodTemplateSpec, seconds int64, ignored ...batchv1.PodFailurePolicyRule,
) *batchv1.JobSpec {
	return jobs.Spec(template, seconds, o.engineOptions(), ignored...)
}

// instance returns a copy of a Pod template with more metadata, whose containers' fields may be set.
func instance(template *corev1.PodTemplateSpec, m metadata) *corev1.PodTemplateSpec {
	own := *template
	own.Labels, own.Annotations = engine.Merged(own.Labels, m.labels), engine.Merged(own.Annotations, m.annotations)
	own.Spec.Containers = slices.Clone(own.Spec.Containers)
	own.Spec.InitContainers = slices.Clone(own.Spec.InitContainers)
	return &own
}

func prependEnv(container *corev1.Container, env ...corev1.EnvVar) {
	container.Env = append(env, container.Env...)
}
