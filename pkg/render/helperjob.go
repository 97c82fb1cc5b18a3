package render

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/engine"
)

// helperJob is a workload that runs no step but a helper: it copies outputs, or removes them in the end.
type helperJob struct {
	helper string
	// about keeps it apart from others of its helper.
	about string
	// producers are the steps whose Secrets it works on.
	producers []*step
	plan      contract.Plan
	// depth is how many steps, one after the other, it waits for.
	depth  int
	access []access
	// output is the Secret that a copy writes if it has another name than those of the producers.
	output *document.OutputSecret
	// removed are the Secrets that a cleanup removes beside those of the producers, in other namespaces.
	removed []*document.OutputSecret
}

// helperJob adds a helper job with its dependencies. It has its own name and ServiceAccount, whatever the overlay sets.
func (r *renderer) helperJob(h helperJob) {
	hashed := append(make([]string, 0, len(h.producers)+2), h.helper, h.about)
	m := r.metadata(r.phase, nil)
	m.add(contract.HelperKey, h.helper)
	var waitsFor []string
	for i, s := range h.producers {
		hashed = append(hashed, r.generations[s.ref])
		if h.plan.Producers[i].Generation != "" {
			waitsFor = append(waitsFor, s.label())
		}
	}
	if len(waitsFor) > 0 {
		m.annotations[contract.DependsOnKey] = strings.Join(waitsFor, ",")
	}
	h.plan.Step, h.plan.Generation = h.helper, cmp.Or(h.plan.Generation, contract.Hash(hashed...))
	r.limitWait(&h.plan, h.producers)
	m.annotations[contract.GenerationKey] = h.plan.Generation
	ofObject := r.objectMetadata(m)
	r.nameProducers(m, h.producers)
	env := append([]corev1.EnvVar{r.planVariable(h.plan)}, r.producerVariables(h.producers)...)
	env = append(env, h.nameSecrets(m)...)
	h.access[0].rules = append(h.access[0].rules, r.traits.PodRules...)
	name := r.rbacName("helper", h.about, h.producers[0].spec.Name, h.helper)
	r.objects = append(r.objects, r.rbac(name, name, ofObject, h.access...)...)
	template := instance(r.helperTemplate, m)
	template.Spec.Containers = []corev1.Container{r.helperContainer(h.helper, h.helper, env, tokenMount)}
	template.Spec.ActiveDeadlineSeconds = new(r.podDeadline(h.depth + 1))
	template.Spec.ServiceAccountName = name
	if h.helper == contract.HelperCopy { // for readers that cannot decode its plan
		to := map[string]string{contract.CopyToKey: h.plan.Producers[0].Copies[0]}
		if r.traits.Waits {
			ofObject.annotations = engine.Merged(ofObject.annotations, to)
		} else { // the task has no separate object
			template.Annotations = engine.Merged(template.Annotations, to)
		}
	}
	task := engine.Task{Name: h.helper, Template: template, Metadata: ofObject.of(r.namespace, ""), Waiting: h.helper}
	r.task(task, h.producers, h.depth+1)
}

// nameSecrets annotates a Pod with the names of the Secrets of OutputSecrets, and returns the variables that read them.
func (h *helperJob) nameSecrets(m metadata) (env []corev1.EnvVar) {
	if h.output != nil {
		m.annotations[contract.OutputSecretKey] = h.output.Name
		env = append(env, annotationVariable(contract.OutputSecretVariable, contract.OutputSecretKey))
	}
	for i, s := range h.removed {
		i += len(h.producers)
		m.annotations[contract.InputSecretKey(i)] = s.Name
		env = append(env, annotationVariable(contract.InputSecretVariable(i), contract.InputSecretKey(i)))
	}
	return env
}

// compileHelperTemplate makes the part of a helper job's Pod template that no resource changes. Of an overlay it takes where
// Pods may run and how their images are pulled, and labels and annotations that are for all Pods.
func (c *compiledPhase) compileHelperTemplate() (err error) {
	of := &c.overlay.Template.Spec
	c.helperTemplate, err = engine.MergeTemplates(&corev1.PodTemplateSpec{
		ObjectMeta: withoutRequests(&c.overlay.Template.ObjectMeta),
		Spec: corev1.PodSpec{
			Affinity:                     of.Affinity,
			AutomountServiceAccountToken: new(false),
			HostAliases:                  of.HostAliases,
			ImagePullSecrets:             of.ImagePullSecrets,
			NodeSelector:                 of.NodeSelector,
			PriorityClassName:            of.PriorityClassName,
			RestartPolicy:                corev1.RestartPolicyNever,
			SchedulerName:                of.SchedulerName,
			Tolerations:                  of.Tolerations,
			Volumes:                      []corev1.Volume{tokenVolume()},
		},
	}, &corev1.PodTemplateSpec{Spec: corev1.PodSpec{ImagePullSecrets: c.pullSecrets()}})
	if defaults := c.options.defaults(); err == nil && defaults != nil { // those of an overlay are about its steps
		c.helperTemplate.Spec.TopologySpreadConstraints = defaults.Spec.TopologySpreadConstraints
	}
	return err
}

// named returns the names that a function gives to steps.
func named(steps []*step, name func(*step) string) []string {
	names := make([]string, len(steps))
	for i, s := range steps {
		names[i] = name(s)
	}
	return names
}

// nameProducers annotates a Pod with the names of its producers' Secrets and Jobs, and of their ancestors' Jobs.
func (r *renderer) nameProducers(m metadata, producers []*step) {
	for i, job := range r.jobNames(r.ancestors(producers)) {
		m.annotations[contract.InputJobKey(len(producers)+i)] = job
	}
	for i, producer := range producers {
		m.annotations[contract.InputSecretKey(i)] = r.secretName(producer)
		if job := r.jobs[producer.ref]; job != "" {
			m.annotations[contract.InputJobKey(i)] = job
		}
	}
}

// jobNames are the names of the Jobs of steps, of those that have one in this phase.
func (r *renderer) jobNames(steps []*step) []string {
	jobs := named(steps, func(s *step) string { return r.jobs[s.ref] })
	return slices.DeleteFunc(jobs, func(job string) bool { return job == "" })
}

// publishing returns the steps of a phase that publish, producers first.
func (c *compiledPhase) publishing(phase v1alpha1.Phase) (steps []*step) {
	for _, ref := range c.order {
		if s := c.steps[ref]; ref.Phase == phase && s.publishes() {
			steps = append(steps, s)
		}
	}
	return steps
}

// targets are the namespaces that outputs are copied to, sorted. Workloads beside the steps read the originals.
func (r *renderer) targets() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.Copies)), func(name string) bool { return name == r.namespace })
}

// copiesOf are the namespaces that outputs of a step are copied to, sorted.
func (r *renderer) copiesOf(s *step) []string {
	return slices.DeleteFunc(r.targets(), func(namespace string) bool { return len(r.copied(s, namespace)) == 0 })
}

// copied are the outputs of a step that workloads of a namespace use, in the order in which the step declares them.
func (r *renderer) copied(s *step, namespace string) []contract.Input {
	var outputs []contract.Input
	for _, output := range s.spec.Outputs {
		if r.isUsed(s, output.Name, namespace) {
			outputs = append(outputs, contract.Input{Output: output.Name, Workloads: true})
		}
	}
	if r.isUsed(s, "", namespace) {
		outputs = append(outputs, contract.Input{Workloads: true})
	}
	return outputs
}

// isUsed reports whether workloads of a namespace use an output of a create step, or without a name, wait for its end.
func (r *renderer) isUsed(s *step, output, namespace string) bool {
	if r.used == nil {
		r.used = map[string]map[v1alpha1.StepOutput]bool{}
		for target, outputs := range r.Copies {
			r.used[target] = make(map[v1alpha1.StepOutput]bool, len(outputs))
			for _, one := range outputs {
				r.used[target][one] = true
			}
		}
	}
	return s.ref.Phase == v1alpha1.PhaseCreate && r.used[namespace][v1alpha1.StepOutput{Name: s.spec.Name, Output: output}]
}

// copies adds the workloads that copy outputs to the Secrets of the same names in other namespaces. Each namespace has
// its own workloads, so that another namespace does not change the existing ones.
func (r *renderer) copies() {
	for _, namespace := range r.targets() {
		var used []*step
		for _, s := range r.publishing(v1alpha1.PhaseCreate) {
			if len(r.copied(s, namespace)) > 0 {
				used = append(used, s)
			}
		}
		for some := range slices.Chunk(used, contract.MaxProducers) {
			r.copy(namespace, some)
		}
	}
}

func (r *renderer) copy(namespace string, steps []*step) {
	h := helperJob{helper: contract.HelperCopy, about: namespace, producers: steps}
	for _, s := range steps {
		h.depth = max(h.depth, s.depth)
		h.plan.Producers = append(h.plan.Producers, contract.Producer{
			Step: s.spec.Name, Generation: r.generations[s.ref], Inputs: r.copied(s, namespace), Copies: []string{namespace},
			Ended: r.hasEnded(s),
		})
	}
	followed := r.jobNames(slices.Concat(steps, r.ancestors(steps)))
	h.access = []access{
		{r.namespace, slices.Concat(rule("secrets", "watch", named(steps, r.secretName)), rule("jobs", "watch", followed))},
		{namespace, rule("secrets", "patch", named(steps, r.secretName))},
	}
	r.helperJob(h)
}

// allow adds rights in a namespace, to those that the job already has there.
func (h *helperJob) allow(more access) {
	for i := range h.access {
		if h.access[i].namespace == more.namespace {
			h.access[i].rules = append(h.access[i].rules, more.rules...)
			return
		}
	}
	h.access = append(h.access, more)
}
