package render

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// request is a resource of a sandbox.
type request struct {
	// Sandbox is the sandbox's name, lower-cased as the server folds it.
	Sandbox string
	// SandboxID is the id after which scripts name external resources.
	SandboxID string
	// RoutingKey is the key of requests to the sandbox. OwnKey is set if it is not the derived one.
	RoutingKey string
	OwnKey     bool
	// Resource is the name of the resource.
	Resource string
	// Params are the values for inputs with valueFromSandbox. Those that no input reads are ignored.
	Params map[string]string
	// Plugin is the plugin's identity in full, `name@version`, and Digest its digest; both are for annotations.
	Plugin, Digest string
	// Copies are the outputs that workloads use, by namespace. Those of other namespaces than the steps' are copied.
	Copies map[string][]v1alpha1.StepOutput
	// OutputSecrets are the documents that have outputs of the resource.
	OutputSecrets []*document.OutputSecret
	// Skipped are the delete steps that are given up.
	Skipped []string
	// Forks are the names of the sandbox's forks, by namespace.
	Forks map[string][]string
}

// renderer is a request while it is rendered.
type renderer struct {
	*compiledPhase
	*request
	generations map[document.StepRef]string
	run         engine.Run
	count       int                         // of the tasks of the run
	tasks       map[document.StepRef]int    // the steps that were added, by their order
	jobs        map[document.StepRef]string // the names of their Jobs
	paramsName  string
	used        map[string]map[v1alpha1.StepOutput]bool // Copies, once they are needed
	objects     []object
	problems    []strictyaml.Problem
}

// render returns the objects of one resource, producers before consumers and each workload after its dependencies. If a
// problem is an error, it returns no objects.
func (c *compiledPhase) render(of *request) ([]object, []strictyaml.Problem) {
	r := renderer{
		compiledPhase: c, request: of, generations: make(map[document.StepRef]string, len(c.order)),
		tasks: make(map[document.StepRef]int, len(c.order)), jobs: make(map[document.StepRef]string, len(c.order)),
		problems: c.checkParams(of.Params),
	}
	r.start()
	r.checkTexts()
	r.paramsName = r.params()
	first := len(r.objects)
	for _, ref := range c.order {
		s := c.steps[ref]
		if r.generations[ref] = r.generation(s); r.skips(s) {
			continue
		}
		if s.publishes() && (ref.Phase == c.phase || c.cleansUp) {
			r.secrets(s)
		}
		switch {
		case s.isOfForks():
			r.awaitForks(s)
		case ref.Phase == c.phase:
			r.step(s)
		}
	}
	r.objects = slices.Insert(r.objects, first, r.stepAccess()...)
	for _, s := range of.OutputSecrets {
		r.outputSecret(s)
	}
	if c.phase == v1alpha1.PhaseCreate {
		r.copies()
	}
	if c.cleansUp {
		r.cleanup()
	}
	r.finish()
	if firstError(r.problems) != nil {
		return nil, r.problems
	}
	return r.objects, r.problems
}

// add adds an object of the phase.
func (r *renderer) add(kind string, m Manifest) {
	r.objects = append(r.objects, object{Manifest: m, kind: kind, phase: r.phase})
}

func typeMeta(apiVersion, kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}
}

// params adds the ConfigMap with the params that steps of the phase read as files, and returns its name: a hash of its
// contents, so that a change of a param changes the Jobs. For engines that replace expressions in texts it has all
// values of variables, too: names of params have no underscore, and those of the variables of every script do.
func (r *renderer) params() string {
	data := map[string]string{}
	for _, ref := range r.order {
		inputs := r.steps[ref].spec.Inputs
		for i := range inputs {
			input := &inputs[i]
			isRead := input.Path() != "" || r.traits.Expansion != nil
			if ref.Phase == r.phase && input.ValueFromSandbox && isRead {
				data[input.Name] = r.Params[input.Name]
			}
		}
	}
	if r.traits.Expansion != nil && len(r.spec.Workflow(r.phase)) > 0 {
		data[contract.SandboxIDVariable], data[contract.SandboxNameVariable] = r.SandboxID, r.Sandbox
		data[contract.RoutingKeyVariable], data[contract.ResourceNameVariable] = r.RoutingKey, r.Resource
	}
	if len(data) == 0 {
		return ""
	}
	hashed, size := []string{"params", r.SandboxID, r.Resource, string(r.phase)}, 0
	for _, key := range slices.Sorted(maps.Keys(data)) {
		hashed = append(hashed, key, data[key])
		size += len(key) + len(data[key])
	}
	if size > maxConfigMap {
		read := "as files"
		if r.traits.Expansion != nil {
			read = "with engine " + r.options.Engine
		}
		r.report("params", "must have at most %d bytes together %s, which a ConfigMap holds", maxConfigMap, read)
	}
	name := contract.ObjectName(contract.Hash(hashed...), r.Sandbox, r.Resource, string(r.phase))
	r.add("ConfigMap", configMap(r.objectMetadata(r.metadata(r.phase, nil)), r.namespace, name, data))
	return name
}

// secrets adds the Secret that a step publishes to, and its copies. They have no data, so that applying them again
// keeps the published outputs.
func (r *renderer) secrets(s *step) {
	m := r.objectMetadata(r.metadata(s.ref.Phase, s))
	namespaces := []string{r.namespace}
	if s.ref.Phase == v1alpha1.PhaseCreate {
		namespaces = append(namespaces, r.copiesOf(s)...)
	}
	for _, namespace := range namespaces {
		r.objects = append(r.objects, object{kind: secretKind, phase: s.ref.Phase, Manifest: &corev1.Secret{
			TypeMeta: typeMeta("v1", secretKind), ObjectMeta: m.of(namespace, r.secretName(s)), Type: corev1.SecretTypeOpaque,
		}})
	}
}

func (r *renderer) secretName(s *step) string {
	return contract.OutputSecretName(r.SandboxID, r.Resource, s.spec.Name)
}

// step adds a step's workload.
func (r *renderer) step(s *step) {
	m := r.metadata(r.phase, s)
	ofObject := r.objectMetadata(m)
	r.nameProducers(m, s.producers)
	if s.publishes() {
		m.annotations[contract.OutputSecretKey] = r.secretName(s)
	}
	template := instance(s.template, m)
	pod := &template.Spec
	prependEnv(containerNamed(pod.Containers, contract.MainContainer), r.environment(s)...)
	if !s.isPlain() {
		plan := r.planVariable(r.plan(s))
		if s.publishes() {
			prependEnv(containerNamed(pod.Containers, contract.OutputManager), plan)
		}
		prependEnv(containerNamed(pod.InitContainers, contract.InputManager), plan)
	}
	if !s.isPlain() || len(r.traits.PodRules) > 0 {
		pod.ServiceAccountName = r.stepAccount()
	}
	if r.traits.MountsOutputs {
		pod.Volumes = append(r.outputVolumes(s), pod.Volumes...)
	}
	if s.needsParamFiles() {
		pod.Volumes = append([]corev1.Volume{configMapVolume(contract.ParamsVolume, r.paramsName, readable)}, pod.Volumes...)
	}
	r.stepTask(s, engine.Task{
		Name: s.spec.Name, Template: template, Metadata: ofObject.of(r.namespace, ""), Waiting: s.waitingContainer(),
	})
}

// stepTask adds the task of a step.
func (r *renderer) stepTask(s *step, t engine.Task) {
	index := r.count
	if name := r.task(t, s.producers, s.depth); name != "" {
		r.jobs[s.ref] = name
	}
	r.tasks[s.ref] = index
}
