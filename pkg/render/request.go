package render

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/manifest"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// Render returns the objects of one resource, producers before consumers and each workload behind what it needs. With an
// error among the problems there are no objects.
func (b *Blueprint) Render(r Request) ([]Object, []strictyaml.Problem) {
	if problems := b.checkRequest(&r); failed(problems) {
		return nil, problems
	}
	render := rendering{Blueprint: b, Request: &r, generations: make(map[document.StepRef]string, len(b.order))}
	render.paramsName = render.params()
	for _, ref := range b.order {
		s := b.steps[ref]
		render.generations[ref] = render.generation(s)
		if s.publishes() && (ref.Phase == b.phase || b.cleansUp) {
			render.secrets(s)
		}
		if ref.Phase == b.phase {
			render.step(s)
		}
	}
	if b.phase == v1alpha1.PhaseCreate {
		render.copies()
	}
	if b.cleansUp {
		render.cleanup()
	}
	if failed(render.problems) {
		return nil, render.problems
	}
	return render.objects, render.problems
}

// rendering is the state of one Render.
type rendering struct {
	*Blueprint
	*Request
	generations map[document.StepRef]string
	paramsName  string
	objects     []Object
	problems    []strictyaml.Problem
}

// generation is a hash over what a step is made from: see package contract, Plan.Generation. Whatever else changes in
// the plugin or in how it is rendered leaves it alone, so that a step that is published does not run again.
func (r *rendering) generation(s *step) string {
	facts := []string{s.facts, r.SandboxID, r.Resource}
	for i := range s.spec.Inputs {
		if s.spec.Inputs[i].ValueFromSandbox {
			facts = append(facts, r.Params[s.spec.Inputs[i].Name])
		}
	}
	for _, producer := range s.producers {
		facts = append(facts, r.generations[producer.Step])
	}
	return contract.Hash(facts...)
}

// params adds the ConfigMap with the params that steps of the phase read as files, and returns its name: of what it
// holds, so that a change of a param changes the Jobs.
func (r *rendering) params() string {
	var data manifest.Map
	hashed := []string{"params", r.SandboxID, r.Resource, string(r.phase)}
	for _, ref := range r.order {
		if s := r.steps[ref]; ref.Phase == r.phase && s.needsParamFiles() {
			for i := range s.spec.Inputs {
				if input := &s.spec.Inputs[i]; input.ValueFromSandbox && input.Path() != "" {
					data = append(data, manifest.KV(input.Name, manifest.String(r.Params[input.Name])))
				}
			}
		}
	}
	if len(data) == 0 {
		return ""
	}
	data = manifest.NewMap(data...)
	for _, field := range data {
		hashed = append(hashed, field.Key, r.Params[field.Key])
	}
	name := contract.ObjectName(contract.Hash(hashed...), r.Sandbox, r.Resource, string(r.phase))
	f := r.outer(r.factsOf(r.Request, r.phase, nil), r.Request)
	r.objects = append(r.objects, r.configMap(name, data, f))
	return name
}

// secrets adds the Secret that a step publishes to, and its copies. They have no data, so that applying them again keeps
// what was published.
func (r *rendering) secrets(s *step) {
	f := r.outer(r.factsOf(r.Request, s.ref.Phase, s), r.Request).
		annotated(contract.GenerationKey, r.generations[s.ref])
	namespaces := []string{r.namespace}
	if s.ref.Phase == v1alpha1.PhaseCreate {
		namespaces = append(namespaces, r.copiesOf(s)...)
	}
	for _, namespace := range namespaces {
		object := r.object(namespace, "v1", "Secret", r.secretName(s), f, manifest.KV("type", manifest.String("Opaque")))
		object.Phase = string(s.ref.Phase)
		r.objects = append(r.objects, object)
	}
}

func (r *rendering) secretName(s *step) string {
	return contract.OutputSecretName(r.SandboxID, r.Resource, s.spec.Name)
}

// step adds a step's workload, and the account it needs where data flows.
func (r *rendering) step(s *step) {
	inner := r.factsOf(r.Request, r.phase, s).annotated(contract.GenerationKey, r.generations[s.ref])
	outer := r.outer(inner, r.Request)
	for i, producer := range s.producers {
		inner = inner.annotated(contract.InputSecretKey(i), r.secretName(r.steps[producer.Step]))
	}
	if s.publishes() {
		inner = inner.annotated(contract.OutputSecretKey, r.secretName(s))
	}
	changes := []manifest.Field{manifest.KV("containers", r.containerChanges(s))}
	if !s.bare() {
		changes = append(changes,
			manifest.KV("initContainers", manifest.List{planned(contract.InputManager, r.plan(s))}))
		name := r.access(r.accessName(s.spec.Name), account(s.template.Map("spec")), outer, r.stepGrant(s))
		if name != "" {
			changes = append(changes, manifest.KV("serviceAccountName", manifest.String(name)))
		}
	}
	if s.needsParamFiles() {
		changes = append(changes, manifest.KV("volumes", manifest.List{manifest.NewMap(
			manifest.KV("configMap", manifest.NewMap(
				manifest.KV("defaultMode", readable),
				manifest.KV("name", manifest.String(r.paramsName)),
			)),
			manifest.KV("name", manifest.String(contract.ParamsVolume)),
		)}))
	}
	template := overlay.Merge(s.template, manifest.NewMap(
		manifest.KV("metadata", inner.metadata()),
		manifest.KV("spec", manifest.NewMap(changes...)),
	))
	r.workload(s.spec.Name, template, outer)
}

func (r *rendering) containerChanges(s *step) manifest.List {
	changes := manifest.List{manifest.NewMap(
		manifest.KV("env", r.environment(s)),
		manifest.KV("name", manifest.String(contract.MainContainer)),
	)}
	if s.publishes() {
		changes = append(changes, planned(contract.OutputManager, r.plan(s)))
	}
	return changes
}
