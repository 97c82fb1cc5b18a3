package render

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Forks must no longer use the resources that delete steps drop. The tools differ in whether they can order that:
//
//   - kubectl does what the user's commands say: those of docs/howto/teardown.md first delete forks, and wait for their
//     Pods.
//   - Argo CD, as it deletes an Application, runs PostDelete hooks when everything else is gone.
//   - Otherwise, Argo CD, Flux, Helm and kpt create delete steps before they remove forks, or while the Pods of the forks
//     still end. Sync waves of Argo CD would order them, but a wave waits for the health of everything before it: a
//     sandbox that has failed would stop the teardowns of all others.
//
// For the last, the delete steps wait in the cluster for a Job that waits until no Pod of the forks is left.

// kindBudget is the kind of the objects that count Pods of forks.
const kindBudget = "PodDisruptionBudget"

// awaitsForks reports whether delete steps must wait in the cluster for the end of forks. With PreDelete, the user wants
// them to run before anything is removed.
func (d delivery) awaitsForks() bool {
	return d.tool != kubectl && (!d.holds || d.tool == helm && d.hook != preDelete)
}

// variant holds the changes of a sandbox to a phase of a plugin.
type variant struct {
	// awaitsForks is set for delete phases whose steps wait for the end of the sandbox's forks.
	awaitsForks bool
	// beforeForks is set if the forks of the sandbox wait for all create steps, which then all have a Secret.
	beforeForks bool
}

// variant returns that of a phase of a sandbox's resource, at a path. The cleanup of a plugin must be able to remove the
// Secrets of all its steps, and one more for the wait.
func (p *plan) variant(s *sandbox, at krm.Path, phase v1alpha1.Phase, spec *v1alpha1.ResourcePluginSpec) (v variant) {
	if len(s.Spec.Forks) == 0 {
		return variant{}
	}
	isDelete := phase == v1alpha1.PhaseDelete && len(spec.Delete) > 0
	v = variant{awaitsForks: isDelete && p.deliveryOf(s).awaitsForks(), beforeForks: s.forksLast}
	steps := len(spec.Create) + len(spec.Delete) + 1
	if v.beforeForks && steps > contract.MaxSecrets {
		p.list.Report(krm.At(s.Item, at, krm.Error, fmt.Sprintf("its plugin must have at most %d steps for the annotation %s of "+
			"the sandbox, not %d", contract.MaxSecrets-1, contract.ForkStartKey, steps-1)))
		v.beforeForks = false
	}
	if v.awaitsForks && steps > contract.MaxSecrets {
		p.list.Report(krm.At(s.Item, at, krm.Warning, fmt.Sprintf("its delete steps do not wait for the end of the sandbox's "+
			"forks: a plugin must have at most %d steps for that, not %d; remove the forks first", contract.MaxSecrets-1, steps-1)))
		v.awaitsForks = false
	}
	return v
}

// deliveryOf returns how the objects of a sandbox are delivered: a delete phase that comes with the create phase is held
// back, that of an absent sandbox runs at once.
func (p *plan) deliveryOf(s *sandbox) delivery {
	d := p.delivery
	d.holds = len(p.phases) == 2 && !s.isAbsent
	return d
}

// forks returns the names of the forks of a sandbox, by namespace.
func (p *plan) forks(s *sandbox) map[string][]string {
	forks := map[string][]string{}
	for i := range s.Spec.Forks {
		of := s.Spec.Forks[i].ForkOf.Plain()
		actual := p.actual(of)
		if document.CheckLabel(actual.Namespace) == "" && actual.Namespace != "" {
			forks[actual.Namespace] = append(forks[actual.Namespace],
				contract.ForkName(s.id, of.Kind, of.Namespace, of.Name, actual.Name, s.LowerName()))
		}
	}
	return forks
}

// forksStep returns the first step of a delete phase, which runs no script: it has a helper that waits for the end of forks.
// No step of a plugin can have its name.
func forksStep() *step {
	return &step{
		ref: forksRef, spec: &v1alpha1.Step{Name: "forks of the sandbox"}, hash: contract.HelperForks, depth: 1, isRecorded: true,
	}
}

// forksRef is behind all steps of the delete phase.
var forksRef = document.StepRef{Phase: v1alpha1.PhaseDelete, Index: -1}

// isOfForks reports whether the step is that of forksStep.
func (s *step) isOfForks() bool { return s.ref == forksRef }

// awaitForks adds the helper job of forksStep. It may patch PodDisruptionBudgets by name, which includes reading them,
// but not read Pods, which would expose their variables and images.
func (r *renderer) awaitForks(s *step) {
	const helper = contract.HelperForks
	m := r.metadata(r.phase, s)
	ofObject := r.objectMetadata(m)
	name := r.rbacName(helper)
	m.annotations[contract.OutputSecretKey], m.annotations[contract.ForkBudgetKey] = r.secretName(s), r.budgetName()

	namespaces := r.counted(r.namespace)
	all := []access{{r.namespace, append(rule("secrets", "patch", []string{r.secretName(s)}), r.traits.PodRules...)}}
	for _, namespace := range namespaces {
		if counts := rule("poddisruptionbudgets", "patch", []string{r.budgetName()}); namespace == r.namespace {
			all[0].rules = append(all[0].rules, counts...)
		} else {
			all = append(all, access{namespace, counts})
		}
	}
	r.objects = append(r.objects, r.rbac(name, name, ofObject, all...)...)
	plan := contract.Plan{
		Step: helper, Generation: r.generations[s.ref], Forks: namespaces,
		TimeoutSeconds: r.timeout(), Attempts: r.options.Retries + 1,
	}
	env := append([]corev1.EnvVar{r.planVariable(plan)}, r.producerVariables(nil)...)
	env = append(env, annotationVariable(contract.OutputSecretVariable, contract.OutputSecretKey),
		annotationVariable(contract.ForkBudgetVariable, contract.ForkBudgetKey))
	template := instance(r.helperTemplate, m)
	template.Spec.Containers = []corev1.Container{r.helperContainer(helper, helper, env, tokenMount)}
	template.Spec.ActiveDeadlineSeconds = new(r.podDeadline(s.depth))
	template.Spec.ServiceAccountName = name
	r.stepTask(s, engine.Task{Name: helper, Template: template, Metadata: ofObject.of(r.namespace, "")})
}

// podDisruptionBudget is the type of the API without a status, which would be printed though it is not set.
type podDisruptionBudget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec policyv1.PodDisruptionBudgetSpec `json:"spec"`
}

// budgets returns the objects that count the Pods of forks for a task whose steps wait for their end: one in each
// namespace, whose status has the number of Pods. It allows all evictions. Only Pods of the forks have one of the
// names. All resources of the sandbox share it: no Pod that several select can be evicted.
func (p *plan) budgets(t *task) (budgets []object) {
	if !t.phase.awaitsForks {
		return nil
	}
	m := t.request.metadata(t.phase.phase)
	m.add(contract.HelperKey, contract.HelperForks)
	p.options.Own(m.annotations)
	forks := slices.Concat(slices.Collect(maps.Values(t.request.Forks))...)
	slices.Sort(forks)
	spec := policyv1.PodDisruptionBudgetSpec{
		MinAvailable: new(intstr.FromInt32(0)),
		Selector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: contract.ForkKey, Operator: metav1.LabelSelectorOpIn, Values: slices.Compact(forks)},
		}},
	}
	for _, namespace := range t.request.counted(t.phase.namespace) {
		budget := []object{{kind: kindBudget, phase: t.phase.phase, Manifest: &podDisruptionBudget{
			TypeMeta:   typeMeta(policyv1.SchemeGroupVersion.String(), kindBudget),
			ObjectMeta: m.of(namespace, t.request.budgetName()), Spec: spec,
		}}}
		p.deliveryOf(t.sandbox).prepare(budget) // each as the first object: Helm runs all hooks before it creates the next one
		budgets = append(budgets, budget...)
	}
	return budgets
}

// counted returns the namespaces in which Pods of forks are counted, and that of the steps: kustomize updates a name in
// an annotation only if it refers to an object in the same namespace.
func (r *request) counted(namespace string) []string {
	namespaces := append(slices.Collect(maps.Keys(r.Forks)), namespace)
	slices.Sort(namespaces)
	return slices.Compact(namespaces)
}

func (r *request) budgetName() string {
	return contract.ObjectName(contract.Hash("budget", r.SandboxID), r.Sandbox, contract.HelperForks)
}
