package render

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// generation returns a hash of the parts that define a step: see Plan.Generation of package contract. Other changes to
// the plugin or to the way it is rendered do not affect it, so that a published step does not run again.
func (r *renderer) generation(s *step) string {
	hashed := []string{s.hash, r.SandboxID, r.Resource}
	if r.OwnKey {
		hashed = append(hashed, "routing key", r.RoutingKey)
	}
	for i := range s.spec.Inputs {
		if s.spec.Inputs[i].ValueFromSandbox {
			hashed = append(hashed, r.Params[s.spec.Inputs[i].Name])
		}
	}
	for _, producer := range s.producers {
		if !producer.isOfForks() {
			hashed = append(hashed, r.generations[producer.ref])
		}
	}
	return contract.Hash(hashed...)
}

// Generations computes the generations of a plugin's create steps, which are the same under all options.
type Generations struct{ compiled *compiledPhase }

// GenerationInputs are the inputs to the generations of a sandbox's resource, in addition to its plugin.
type GenerationInputs struct {
	SandboxID, Resource string
	Params              map[string]string
	// RoutingKey is the routing key of the sandbox if an annotation gives it, else empty.
	RoutingKey string
}

// NewGenerations prepares a plugin.
func NewGenerations(spec *v1alpha1.ResourcePluginSpec) *Generations {
	c := &compiledPhase{spec: spec, phase: v1alpha1.PhaseCreate, steps: map[document.StepRef]*step{}}
	c.graph = document.NewGraph(spec)
	c.overlay, _ = readOverlay(spec)
	if len(c.graph.Problems()) == 0 {
		c.order = c.graph.Order(c.phase)
	}
	for _, ref := range c.order {
		c.steps[ref] = c.newStep(spec, ref)
	}
	return &Generations{c}
}

// Last returns the names of the create steps that no other one reads: when they have ended, all have.
func (g *Generations) Last() []string { return lastSteps(g.compiled.spec) }

// Of returns the generations of a resource by the names of its create steps. A plugin that cannot be rendered has none.
func (g *Generations) Of(inputs GenerationInputs) map[string]string {
	r := renderer{compiledPhase: g.compiled, generations: map[document.StepRef]string{}, request: &request{
		SandboxID: inputs.SandboxID, Resource: inputs.Resource, Params: inputs.Params,
		RoutingKey: inputs.RoutingKey, OwnKey: inputs.RoutingKey != "",
	}}
	byName := make(map[string]string, len(r.order))
	for _, ref := range r.order {
		s := r.steps[ref]
		r.generations[ref] = r.generation(s)
		byName[s.spec.Name] = r.generations[ref]
	}
	return byName
}
