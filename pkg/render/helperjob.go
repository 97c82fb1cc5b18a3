package render

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/overlay"
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
	depth int
	rules []secretRules
}

// helperJob adds a helper job with what it needs. It is named and bound to its own ServiceAccount, whatever the overlay
// says.
func (r *renderer) helperJob(h helperJob) {
	hashed := append(make([]string, 0, len(h.producers)+2), h.helper, h.about)
	m := r.metadata(r.phase, nil)
	m.add(contract.HelperKey, h.helper)
	var waitsFor []string
	for i, s := range h.producers {
		hashed = append(hashed, r.generations[s.ref])
		if h.plan.Producers[i].Generation != "" {
			waitsFor = append(waitsFor, s.spec.Name)
		}
	}
	if len(waitsFor) > 0 {
		m.annotations[contract.DependsOnKey] = strings.Join(waitsFor, ",")
	}
	h.plan.Step, h.plan.Generation = h.helper, contract.Hash(hashed...)
	m.annotations[contract.GenerationKey] = h.plan.Generation
	ofObject := r.objectMetadata(m)
	for i, s := range h.producers {
		m.annotations[contract.InputSecretKey(i)] = r.secretName(s)
	}
	name := r.rbac(r.rbacName("helper", h.about, h.producers[0].spec.Name, h.helper), "", ofObject, h.rules...)
	env := append([]corev1.EnvVar{planVariable(h.plan)}, secretVariables(len(h.producers))...)
	template := instance(r.helperTemplate, m)
	template.Spec.Containers = []corev1.Container{r.helperContainer(h.helper, h.helper, env, tokenMount)}
	template.Spec.ActiveDeadlineSeconds = new(r.deadlineOf(h.depth + 1))
	template.Spec.ServiceAccountName = name
	r.workload(h.helper, template, ofObject)
}

// compileHelperTemplate makes the part of a helper job's Pod template that no resource changes. Of an overlay it takes
// labels and annotations, and where Pods may run and how their images are pulled.
func (c *compiledPhase) compileHelperTemplate() (err error) {
	of := &c.overlay.Template.Spec
	c.helperTemplate, err = overlay.Merge(&corev1.PodTemplateSpec{
		ObjectMeta: c.overlay.Template.ObjectMeta,
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
	return err
}

// secretNames are the names of the Secrets of steps.
func (r *renderer) secretNames(steps []*step) []string {
	names := make([]string, len(steps))
	for i, s := range steps {
		names[i] = r.secretName(s)
	}
	return names
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
