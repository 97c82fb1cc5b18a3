package renderdiff

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// stepKey identifies a step of a resource of a sandbox.
type stepKey struct {
	sandbox, resource string
	phase             v1alpha1.Phase
	step              string
}

// step is a step of a side.
type step struct {
	stepKey
	*object

	plugin, digest, generation string
	// plan is empty if nothing of ours is in the Pod.
	plan contract.Plan
	// leftovers are the names of Jobs of earlier renders that a cluster still has.
	leftovers []string
}

// newStep returns the step of a Job, a Pod or a Secret; nil if it has none.
func newStep(o *object) *step {
	name := o.fact(contract.StepKey)
	if name == "" || o.fact(contract.ResourceKey) == "" {
		return nil
	}
	s := &step{object: o, stepKey: stepKey{
		o.sandboxName(), o.fact(contract.ResourceKey), v1alpha1.Phase(o.fact(contract.PhaseKey)), name,
	}}
	s.plugin, s.digest = o.Annotations[contract.PluginKey], o.Annotations[contract.DigestKey]
	s.generation = o.Annotations[contract.GenerationKey]
	if o.job != nil {
		s.plan = planOf(&o.job.Template.Spec)
	}
	return s
}

// planOf returns the plan of a Pod's helpers, an empty one if it has none that can be read.
func planOf(pod *corev1.PodSpec) (plan contract.Plan) {
	for _, container := range slices.Concat(pod.InitContainers, pod.Containers) {
		for _, variable := range container.Env {
			if variable.Name == contract.PlanVariable {
				_ = json.Unmarshal([]byte(valueOf(variable)), &plan)
				return plan
			}
		}
	}
	return plan
}

// valueOf returns the value of a variable as a program sees it: $$ stands for $.
func valueOf(variable corev1.EnvVar) string { return strings.ReplaceAll(variable.Value, "$$", "$") }

// workload returns the kind of the object that runs the step, Job if it is not known.
func (s *step) workload() string {
	if s.job == nil {
		return kindJob
	}
	return s.kind
}

// publishes reports whether the step publishes to a Secret, which keeps it from running twice.
func (s *step) publishes() bool {
	return s.job == nil || s.job.Template.Annotations[contract.OutputSecretKey] != ""
}

// main returns the container with the script.
func (s *step) main() *corev1.Container {
	for i := range s.job.Template.Spec.Containers {
		if c := &s.job.Template.Spec.Containers[i]; c.Name == contract.MainContainer {
			return c
		}
	}
	return &corev1.Container{}
}

// helperImage returns the image of the helpers in a Pod, empty if it has no helpers.
func helperImage(pod *corev1.PodSpec) string {
	helpers := []string{
		contract.InputManager, contract.OutputManager, contract.HelperCopy, contract.HelperCleanup, contract.HelperForks,
	}
	for _, container := range slices.Concat(pod.InitContainers, pod.Containers) {
		if slices.Contains(helpers, container.Name) {
			return container.Image
		}
	}
	return ""
}

// configMap returns the ConfigMap behind a volume, with its one key if only that is mounted.
func (s *step) configMap(volume string) (name, key string) {
	for _, v := range s.job.Template.Spec.Volumes {
		if v.Name == volume && v.ConfigMap != nil {
			if len(v.ConfigMap.Items) > 0 {
				key = v.ConfigMap.Items[0].Key
			}
			return v.ConfigMap.Name, key
		}
	}
	return "", ""
}

// compareSteps orders steps: create before delete, then as they are rendered.
func compareSteps(a, b *step) int {
	return cmp.Or(cmp.Compare(slices.Index(v1alpha1.Phases, a.phase), slices.Index(v1alpha1.Phases, b.phase)),
		cmp.Compare(a.order, b.order), cmp.Compare(a.step, b.step))
}
