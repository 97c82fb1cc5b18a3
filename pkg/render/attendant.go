package render

import (
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/manifest"
	"github.com/resource-plugins/krm-functions/internal/overlay"
)

// attendant is a workload that runs no step but a helper: it copies outputs, or removes them in the end.
type attendant struct {
	helper string
	// about keeps it apart from others of its helper.
	about string
	// producers are the steps whose Secrets it works on.
	producers []*step
	plan      contract.Plan
	// depth is how many steps, one after the other, it waits for.
	depth  int
	grants []grant
}

// attend adds an attendant with what it needs. It is named and bound to its own ServiceAccount, whatever the overlay says.
func (r *rendering) attend(a attendant) {
	hashed := append(make([]string, 0, len(a.producers)+2), a.helper, a.about)
	inner := r.factsOf(r.Request, r.phase, nil).with(contract.HelperKey, a.helper)
	var waitsFor []string
	for i, s := range a.producers {
		hashed = append(hashed, r.generations[s.ref])
		if a.plan.Producers[i].Generation != "" {
			waitsFor = append(waitsFor, s.spec.Name)
		}
	}
	if len(waitsFor) > 0 {
		inner = inner.annotated(contract.DependsOnKey, strings.Join(waitsFor, ","))
	}
	a.plan.Step, a.plan.Generation = a.helper, contract.Hash(hashed...)
	inner = inner.annotated(contract.GenerationKey, a.plan.Generation)
	outer := r.outer(inner, r.Request)
	for i, s := range a.producers {
		inner = inner.annotated(contract.InputSecretKey(i), r.secretName(s))
	}
	name := r.access(r.accessName("helper", a.about, a.producers[0].spec.Name, a.helper), "", outer, a.grants...)
	env := append(manifest.List{planVariable(a.plan)}, secretVariables(len(a.producers))...)
	template := overlay.Merge(r.aside, manifest.NewMap(
		manifest.KV("metadata", inner.metadata()),
		manifest.KV("spec", manifest.NewMap(
			manifest.KV("containers", manifest.List{r.helper(a.helper, a.helper, env, tokenMount())}),
			manifest.KV("activeDeadlineSeconds", r.chain(a.depth+1)),
			manifest.KV("serviceAccountName", manifest.String(name)),
		)),
	))
	r.workload(a.helper, template, outer)
}

// placement is what attendants take from an overlay, beside its labels and annotations: where Pods may run and how their
// images are pulled.
var placement = [...]string{
	"affinity", "hostAliases", "imagePullSecrets", "nodeSelector", "priorityClassName", "schedulerName", "tolerations",
}

// asideTemplate is the part of an attendant's Pod template that no resource changes.
func (b *Blueprint) asideTemplate() manifest.Map {
	base := b.overlay.Template.Map("spec")
	spec := append(make([]manifest.Field, 0, 3+len(placement)),
		manifest.KV("automountServiceAccountToken", manifest.Bool(false)),
		manifest.KV("restartPolicy", manifest.String("Never")),
		manifest.KV("volumes", manifest.List{tokenVolume()}),
	)
	for _, key := range placement {
		spec = append(spec, manifest.KV(key, base.Get(key)))
	}
	return overlay.Merge(
		manifest.NewMap(
			manifest.KV("metadata", b.overlay.Template.Map("metadata")), manifest.KV("spec", manifest.NewMap(spec...))),
		manifest.NewMap(manifest.KV("spec", manifest.NewMap(b.pullSecrets()...))),
	)
}

// secretNames are the names of the Secrets of steps.
func (r *rendering) secretNames(steps []*step) []string {
	names := make([]string, len(steps))
	for i, s := range steps {
		names[i] = r.secretName(s)
	}
	return names
}

// publishing returns the steps of a phase that publish, producers first.
func (b *Blueprint) publishing(phase v1alpha1.Phase) (steps []*step) {
	for _, ref := range b.order {
		if s := b.steps[ref]; ref.Phase == phase && s.publishes() {
			steps = append(steps, s)
		}
	}
	return steps
}
