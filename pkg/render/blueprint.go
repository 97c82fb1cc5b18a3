package render

import (
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/manifest"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Blueprint is what all resources that one phase of a plugin's version provides have in common. It is read-only once it
// is made: requests may be rendered at the same time.
type Blueprint struct {
	options   Options
	phase     v1alpha1.Phase
	namespace string
	graph     *document.Graph
	overlay   *overlay.Overlay
	scripts   []Object
	steps     map[document.StepRef]*step
	order     []document.StepRef // of both phases, producers before consumers
	// cleansUp tells that it is a delete phase that ends with a cleanup. The create phase's Secrets are rendered too then:
	// delete steps read them, and a tool that prunes must not remove them before.
	cleansUp bool
	// aside is the Pod template of what runs no step.
	aside manifest.Map
}

// NewBlueprint prepares a phase of a plugin. With an error among the problems there is no blueprint. A plugin without
// the phase has a blueprint that renders nothing, or the cleanup alone.
func NewBlueprint(p *document.Plugin, phase v1alpha1.Phase, options Options) (*Blueprint, []strictyaml.Problem) {
	b := &Blueprint{options: options.withDefaults(), phase: phase, steps: map[document.StepRef]*step{}}
	b.namespace = b.options.namespace(p.Spec.RunnerNamespace())
	b.graph = document.NewGraph(&p.Spec)
	var problems []strictyaml.Problem
	b.overlay, problems = readOverlay(&p.Spec)
	problems = append(problems, checkPlugin(&p.Spec, b.graph, b.overlay)...)
	if failed(problems) {
		return nil, problems
	}
	b.cleansUp = phase == v1alpha1.PhaseDelete && leavesSecrets(&p.Spec)
	b.aside = b.asideTemplate()
	b.order = append(b.graph.Order(v1alpha1.PhaseCreate), b.graph.Order(v1alpha1.PhaseDelete)...)
	bare, _, _ := strings.Cut(p.Name, "@")
	var names map[string]string
	names, b.scripts = b.scriptMaps(bare, p.Spec.Workflow(phase))
	depths := b.graph.Depth(phase)
	for _, ref := range b.order {
		s := b.newStep(&p.Spec, ref)
		if b.steps[ref] = s; ref.Phase != phase {
			continue
		}
		s.depth = depths[ref.Index]
		var more []strictyaml.Problem
		s.template, more = b.template(s, &p.Spec, names[s.spec.Name])
		problems = append(problems, more...)
	}
	return b, problems
}

// Namespace returns where the phase's steps run.
func (b *Blueprint) Namespace() string { return b.namespace }

// Shared returns the objects that all resources share: the scripts.
func (b *Blueprint) Shared() []Object { return b.scripts }

// readOverlay reads the overlay of the runner and checks it against the runner.
func readOverlay(spec *v1alpha1.ResourcePluginSpec) (*overlay.Overlay, []strictyaml.Problem) {
	const at krm.Path = "spec.runner.podTemplateOverlay"
	o, found := overlay.Parse(spec.Runner.PodTemplateOverlay)
	found = append(found, o.Conflicts(mainImage(o.Template), spec.RunnerNamespace())...)
	problems := make([]strictyaml.Problem, len(found))
	for i, p := range found {
		problems[i] = strictyaml.Problem{Severity: p.Severity, Path: at, Message: p.String()}
	}
	return o, problems
}

// mainImage returns the image that an overlay gives to main. Whether it is the runner's, spelled another way, is for
// package rule: here the runner's wins.
func mainImage(template manifest.Map) (image string) {
	for _, container := range template.Map("spec").List("containers") {
		if main := container.(manifest.Map); main.Text("name") == contract.MainContainer {
			image = main.Text("image")
		}
	}
	return image
}

// template returns the part of a step's Pod template that is the same for all resources: the overlay with what the step
// needs merged onto it.
func (b *Blueprint) template(s *step, spec *v1alpha1.ResourcePluginSpec, scripts string) (manifest.Map, []strictyaml.Problem) {
	base, problems := withoutClashes(b.overlay.Template, s)
	pod := base.Map("spec")
	if asks, _ := pod.Get("automountServiceAccountToken").(manifest.Bool); bool(asks) && !namesAccount(pod) {
		problems = append(problems, strictyaml.Problem{
			Severity: krm.Warning, Path: overlayPath,
			Message: "automountServiceAccountToken of the overlay is not used: name the ServiceAccount whose token is meant",
		})
	}
	return overlay.Merge(base, b.fixed(s, spec, scripts)), problems
}

func failed(problems []strictyaml.Problem) bool {
	for _, p := range problems {
		if p.Severity == krm.Error {
			return true
		}
	}
	return false
}
