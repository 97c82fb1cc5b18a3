package render

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// compiledPhase holds the parts of a plugin's phase that all resources share. It is read-only once it is compiled:
// resources may be rendered concurrently.
type compiledPhase struct {
	variant

	options   Options
	engine    engine.Engine
	traits    engine.Traits
	hasJobs   bool // each task has its own Job
	spec      *v1alpha1.ResourcePluginSpec
	phase     v1alpha1.Phase
	namespace string
	graph     *document.Graph
	overlay   *overlay.Overlay
	scripts   []object
	steps     map[document.StepRef]*step
	order     []document.StepRef // of both phases, producers before consumers
	// cleansUp is set for a delete phase that ends with a cleanup. The create phase's Secrets are rendered too then: delete
	// steps read them, and a tool that prunes must not remove them before.
	cleansUp bool
	// recorded are the create steps that have a Secret even without outputs.
	recorded recorded
	// helperTemplate is the Pod template of helper jobs.
	helperTemplate *corev1.PodTemplateSpec
}

// compile prepares a phase of a plugin. With an error among the problems the phase is nil. A plugin without the phase
// renders nothing, or the cleanup alone.
func compile(p *document.Plugin, phase v1alpha1.Phase, options Options, v variant) (*compiledPhase, []strictyaml.Problem) {
	c := &compiledPhase{options: options, spec: &p.Spec, phase: phase, variant: v, steps: map[document.StepRef]*step{}}
	c.engine = c.options.engine()
	c.traits, c.hasJobs = c.engine.Traits(), c.options.workloadKind() == job
	c.namespace = c.options.namespace(p.Spec.RunnerNamespace())
	c.graph = document.NewGraph(&p.Spec)
	problems := c.readOverlay(&p.Spec)
	if firstError(problems) != nil {
		return nil, problems
	}
	c.cleansUp = phase == v1alpha1.PhaseDelete && (leavesSecrets(&p.Spec) || v != variant{})
	c.recorded = recordedSteps(&p.Spec, v.beforeForks)
	c.order = c.graph.Order(v1alpha1.PhaseCreate)
	before := 0 // how many tasks run before the first step
	if v.awaitsForks {
		before, c.order, c.steps[forksRef] = 1, append(c.order, forksRef), forksStep()
	}
	c.order = append(c.order, c.graph.Order(v1alpha1.PhaseDelete)...)
	bareName, _, _ := strings.Cut(p.Name, "@")
	var configMaps map[string]string
	configMaps, c.scripts = c.scriptMaps(bareName, p.Spec.Workflow(phase))
	err := c.compileHelperTemplate()
	depths := c.graph.Depth(phase)
	for _, ref := range c.order {
		if ref == forksRef {
			continue
		}
		s := c.newStep(&p.Spec, ref)
		if c.steps[ref] = s; ref.Phase != phase || err != nil {
			continue
		}
		s.depth = before + depths[ref.Index]
		base, more := c.base(s)
		problems = append(problems, more...)
		s.template, err = engine.MergeTemplates(base, c.stepTemplate(s, &p.Spec, configMaps[s.spec.Name]))
	}
	if err != nil {
		return nil, append(problems,
			strictyaml.Error(overlayPath, "must be a pod template that a step can be merged onto: %v", err))
	}
	if problems = append(problems, c.restrict()...); firstError(problems) != nil {
		return nil, problems
	}
	return c, problems
}

// readOverlay reads and checks the overlay, and merges it onto the defaults, which have been checked.
func (c *compiledPhase) readOverlay(spec *v1alpha1.ResourcePluginSpec) (problems []strictyaml.Problem) {
	c.overlay, problems = readOverlay(spec)
	problems = append(problems, checkOperator(c.overlay)...)
	problems = append(problems, checkEngine(c.engine, c.overlay)...)
	problems = append(problems, checkPlugin(spec, c.graph, c.overlay, c.traits)...)
	if firstError(problems) != nil {
		return problems
	}
	if err := c.setDefaults(); err != nil {
		problems = append(problems, strictyaml.Error(overlayPath,
			"must be a pod template that can be merged onto podTemplateDefaults: %v", err))
	}
	return problems
}

// readOverlay reads the overlay of the runner and checks it against the runner.
func readOverlay(spec *v1alpha1.ResourcePluginSpec) (*overlay.Overlay, []strictyaml.Problem) {
	o, found := overlay.Parse(spec.Runner.PodTemplateOverlay)
	image := ""
	if main := containerNamed(o.Template.Spec.Containers, contract.MainContainer); main != nil {
		image = main.Image // whether it is the runner's, spelled another way, is for package validate: here the runner's wins
	}
	found = append(found, o.Conflicts(image, spec.RunnerNamespace())...)
	problems := make([]strictyaml.Problem, len(found))
	for i, p := range found {
		if p.Rule == overlay.RuleSidecar && len(spec.Delete) > 0 {
			p.Severity = strictyaml.SeverityError // the delete phase would never be complete
		}
		problems[i] = strictyaml.Problem{Severity: p.Severity, Path: overlayPath, Message: p.String()}
	}
	return o, problems
}

// checkEngine reports the fields of the overlay that the engine cannot express.
func checkEngine(e engine.Engine, o *overlay.Overlay) []strictyaml.Problem {
	found := e.Check(&o.Template)
	problems := make([]strictyaml.Problem, len(found))
	for i, p := range found {
		problems[i] = strictyaml.Error(overlayPath, "%s: %s", p.Field, p.Message)
		if p.IsWarning {
			problems[i].Severity = strictyaml.SeverityWarning
		}
	}
	return problems
}

// base returns the overlay without the fields that would be merged with the step's own although those must stand alone:
// the command and arguments of main, and variables that the step sets.
func (c *compiledPhase) base(s *step) (*corev1.PodTemplateSpec, []strictyaml.Problem) {
	base := c.overlay.Template.DeepCopy()
	var problems []strictyaml.Problem
	warn := func(format string, args ...any) {
		problem := strictyaml.Error(overlayPath, format, args...)
		problem.Severity = strictyaml.SeverityWarning
		problems = append(problems, problem)
	}
	if main := containerNamed(base.Spec.Containers, contract.MainContainer); main != nil {
		main.Command, main.Args = nil, nil
		var others []corev1.EnvVar
		own := s.variables()
		for _, variable := range main.Env {
			if own[variable.Name] {
				warn("variable %q of the overlay is not used: step %q sets it", variable.Name, s.spec.Name)
			} else {
				others = append(others, variable)
			}
		}
		main.Env = others
	}
	if mounts := base.Spec.AutomountServiceAccountToken; mounts != nil && *mounts && c.overlay.Account() == "" {
		warn("automountServiceAccountToken of the overlay is not used: name the ServiceAccount whose token is meant")
	}
	return base, problems
}

// containerNamed returns the container with that name, or nil.
func containerNamed(containers []corev1.Container, name string) *corev1.Container {
	for i := range containers {
		if containers[i].Name == name {
			return &containers[i]
		}
	}
	return nil
}

func firstError(problems []strictyaml.Problem) *strictyaml.Problem {
	for i := range problems {
		if problems[i].IsError() {
			return &problems[i]
		}
	}
	return nil
}
