package render

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// plan holds the tasks of a run, and the documents and options that they need.
type plan struct {
	list     *krm.ResourceList
	options  Options
	phases   []v1alpha1.Phase // those of the options, in the order of v1alpha1.Phases
	delivery delivery
	plugins  *resolve.Catalog
	compiled map[phaseKey]*compiledPhase // nil if the plugin cannot be rendered
	order    []*compiledPhase
	tasks    []task
	params   map[*krm.Item]*document.Params // by plugin
	secrets  outputSecrets
	moved    map[v1alpha1.Workload]v1alpha1.Workload // workloads as they are now, by their identity before kustomize
	// present are the sandboxes whose phase is one of the options.
	present map[string]bool
}

type phaseKey struct {
	plugin  *krm.Item
	phase   v1alpha1.Phase
	variant variant
}

// task is one phase of one resource.
type task struct {
	sandbox *sandbox
	index   int // of the resource
	plugin  *krm.Item
	phase   *compiledPhase
	request request
}

func newPlan(list *krm.ResourceList, options Options) *plan {
	p := &plan{
		list: list, options: options,
		delivery: delivery{tool: options.Delivery, hook: options.DeleteHook, isTemplate: options.IsTemplate()},
		plugins:  resolve.NewCatalog(list.Items()),
		compiled: map[phaseKey]*compiledPhase{}, present: map[string]bool{}, params: map[*krm.Item]*document.Params{},
	}
	p.moved = movedWorkloads(list)
	for _, phase := range v1alpha1.Phases {
		if slices.Contains(options.Phases, string(phase)) {
			p.phases = append(p.phases, phase)
		}
	}
	list.Report(p.plugins.Problems()...)
	return p
}

// add plans the resources of a sandbox.
func (p *plan) add(s *sandbox) {
	phases := p.phases
	if s.isAbsent {
		phases = []v1alpha1.Phase{v1alpha1.PhaseDelete}
	}
	if !s.isAbsent || slices.Contains(p.phases, v1alpha1.PhaseDelete) {
		p.present[s.LowerName()] = true
	}
	if s.unread != nil {
		p.report(s, "", s.unread)
		return
	}
	if slices.Contains(phases, v1alpha1.PhaseCreate) {
		p.list.Report(s.strayUses()...)
	}
	for i, resource := range s.Spec.Resources {
		at := resourcePath(i).Key("plugin")
		choice, err := p.plugins.Resolve(resource.Plugin)
		if err == nil && slices.Contains(phases, v1alpha1.PhaseDelete) {
			err = choice.Settled(resource.Plugin)
		}
		if err == nil {
			err = choice.Confirm(s.record[resource.Name])
		}
		if err != nil {
			p.report(s, at, err)
			continue
		}
		for _, warning := range choice.Warnings {
			p.list.Report(krm.At(s.Item, at, krm.Warning, warning))
		}
		p.reportParams(s, i, choice)
		for _, phase := range phases {
			if compiled := p.compile(choice, phase, p.variant(s, at, phase, choice.Spec)); compiled != nil {
				p.tasks = append(p.tasks, task{sandbox: s, index: i, plugin: choice.Item, phase: compiled, request: request{
					Sandbox: s.LowerName(), SandboxID: s.id, RoutingKey: s.routingKey, OwnKey: s.ownKey,
					Resource: resource.Name, Params: resource.Params,
					Plugin: choice.Pin(), Digest: choice.Digest, Copies: p.copies(s, resource.Name, compiled),
					OutputSecrets: p.outputSecretsOf(s, resource.Name, compiled),
					Skipped:       p.skipped(s, resource.Name, compiled), Forks: p.forks(s),
				}})
			}
		}
	}
}

// reportParams warns of params that no input of the plugin takes, as validate-plugin does.
func (p *plan) reportParams(s *sandbox, index int, choice *resolve.Choice) {
	if p.params[choice.Item] == nil {
		p.params[choice.Item] = document.NewParams(document.Identity(choice.Item), choice.Spec)
	}
	resource := s.Spec.Resources[index]
	for param, message := range p.params[choice.Item].Unknown(resource.Params) {
		warning := krm.AtKey(s.Item, resourcePath(index).Key("params").Key(param), krm.Warning, message)
		warning.Tags[krm.RuleTag] = document.RuleUnknownParam
		p.list.Report(warning)
	}
}

// report reports why a reference was not resolved.
func (p *plan) report(s *sandbox, at krm.Path, err error) {
	var document *resolve.DocumentError
	if errors.As(err, &document) {
		p.list.Report(document.Result())
		return
	}
	p.list.Report(krm.At(s.Item, at, krm.Error, err.Error()))
}

// compile prepares a variant of a plugin's phase, once. It returns nil if that cannot be rendered.
func (p *plan) compile(choice *resolve.Choice, phase v1alpha1.Phase, v variant) *compiledPhase {
	key := phaseKey{choice.Item, phase, v}
	if known, done := p.compiled[key]; done {
		return known
	}
	isReported := slices.ContainsFunc(slices.Collect(maps.Keys(p.compiled)), func(other phaseKey) bool {
		return other.plugin == key.plugin && other.phase == phase
	})
	of := &document.Plugin{Item: choice.Item, Name: document.Identity(choice.Item), Spec: *choice.Spec}
	compiled, problems := compile(of, phase, p.options, v)
	p.compiled[key] = compiled
	for _, problem := range problems {
		if isReported {
			break
		}
		message := problem.Message
		if problem.IsError() {
			message += moreFindings
		}
		p.list.Report(krm.At(of.Item, problem.Path, krm.Severity(problem.Severity), message))
	}
	if compiled == nil {
		return nil
	}
	if len(of.Spec.Workflow(phase)) == 0 && !isReported {
		rendered := "nothing is rendered for it"
		if compiled.cleansUp {
			rendered = "only the removal of its Secrets is rendered"
		}
		p.list.Report(krm.At(of.Item, "spec", krm.Info, fmt.Sprintf("has no %s phase: %s", phase, rendered)))
	}
	p.order = append(p.order, compiled)
	return compiled
}

// namespaces returns the namespaces that a render needs.
func (p *plan) namespaces() map[string]bool {
	needed := map[string]bool{}
	for _, phase := range p.order {
		needed[phase.namespace] = true
	}
	for _, t := range p.tasks {
		for namespace := range t.request.Copies {
			needed[namespace] = true
		}
		for _, s := range t.request.OutputSecrets {
			needed[s.Namespace] = true
		}
	}
	delete(needed, "default")
	return needed
}

// reportUnusedNamespaces warns of entries of the option `namespaces` that no step of the list's plugins runs in. If that is
// so for all of them it is an error with RefuseEmpty.
func (p *plan) reportUnusedNamespaces() {
	if len(p.options.Namespaces) == 0 || len(p.order) == 0 {
		return
	}
	runners := map[string]bool{}
	for _, item := range p.list.Of(contract.APIVersion, contract.ResourcePlugin) {
		namespace := v1alpha1.DefaultNamespace
		if node, ok := krm.Path("spec.runner.namespace").Find(item.YNode()); ok && node.Value != "" {
			namespace = node.Value
		}
		runners[namespace] = true
	}
	names := slices.Sorted(maps.Keys(p.options.Namespaces))
	severity := krm.Warning
	if p.options.RefuseEmpty && !slices.ContainsFunc(names, func(name string) bool { return runners[name] }) {
		severity = krm.Error
	}
	for _, name := range names {
		if !runners[name] {
			p.list.Report(krm.NewResult(severity, fmt.Sprintf("no step runs in namespace %q: namespaces must name one of %s",
				name, strictyaml.Listed(slices.Sorted(maps.Keys(runners))))))
		}
	}
}

// reportPods warns of the limitations of Pods without Jobs.
func (p *plan) reportPods() {
	if p.options.Workload == pod && len(p.tasks) > 0 {
		p.list.Report(krm.NewResult(krm.Warning, "workload Pod: a Pod that waits for another step keeps its place on the "+
			"node, and nothing ends a Pod that is never scheduled: prefer workload Job"))
	}
}
