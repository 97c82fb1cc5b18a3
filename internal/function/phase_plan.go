package function

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// plan is what is to be rendered.
type plan struct {
	call       cli.Call
	options    render.Options
	phases     []v1alpha1.Phase
	delivery   render.Delivery
	plugins    *resolve.Catalog
	blueprints map[blueprintKey]*render.Blueprint // nil where the plugin cannot be rendered
	order      []*render.Blueprint
	tasks      []task
	// present are the sandboxes whose phase is the config's.
	present map[string]bool
}

type blueprintKey struct {
	plugin *krm.Item
	phase  v1alpha1.Phase
}

// task is one resource.
type task struct {
	subject   *phaseSubject
	index     int
	phase     v1alpha1.Phase
	delivery  render.Delivery
	blueprint *render.Blueprint
	request   render.Request
}

func newPlan(call cli.Call, c *phaseConfig) *plan {
	p := &plan{
		call: call, options: c.options(call.ConfigName), phases: c.phases(), plugins: resolve.NewCatalog(call.List.Items()),
		delivery:   render.Delivery{Tool: render.Tool(c.Delivery), Hook: render.Hook(c.DeleteHook)},
		blueprints: map[blueprintKey]*render.Blueprint{}, present: map[string]bool{},
	}
	call.List.Report(p.plugins.Problems()...)
	return p
}

// add plans the resources of a sandbox.
func (p *plan) add(s *phaseSubject) {
	phases, how := p.due(s)
	if !s.absent || slices.Contains(p.phases, v1alpha1.PhaseDelete) {
		p.present[s.LowerName()] = true
	}
	record, err := resolve.ReadRecord(s.Item)
	if err != nil {
		p.report(s, "", err)
		return
	}
	if slices.Contains(phases, v1alpha1.PhaseCreate) {
		p.call.List.Report(s.strayUses()...)
	}
	resolve := p.plugins.Resolve
	if slices.Contains(phases, v1alpha1.PhaseDelete) {
		resolve = p.plugins.ResolveSettled
	}
	for i, resource := range s.Spec.Resources {
		at := resourcePath(i).Key("plugin")
		choice, err := resolve(resource.Plugin)
		if err == nil {
			err = choice.Confirm(record[resource.Name])
		}
		if err != nil {
			p.report(s, at, err)
			continue
		}
		for _, warning := range choice.Warnings {
			p.call.List.Report(krm.At(s.Item, at, krm.Warning, warning))
		}
		for _, phase := range phases {
			if blueprint := p.blueprint(choice, phase); blueprint != nil {
				p.tasks = append(p.tasks, task{
					subject: s, index: i, phase: phase, delivery: how, blueprint: blueprint,
					request: render.Request{
						Sandbox: s.LowerName(), SandboxID: s.id, Resource: resource.Name, Params: resource.Params,
						Plugin: choice.Pin(), Digest: choice.Digest, Copies: p.copies(s, resource.Name, phase, blueprint),
					},
				})
			}
		}
	}
}

// report reports why a reference was not resolved.
func (p *plan) report(s *phaseSubject, at krm.Path, err error) {
	var document *resolve.DocumentError
	if errors.As(err, &document) {
		p.call.List.Report(document.Result())
		return
	}
	p.call.List.Report(krm.At(s.Item, at, krm.Error, err.Error()))
}

// blueprint prepares a plugin's phase, once.
func (p *plan) blueprint(choice *resolve.Choice, phase v1alpha1.Phase) *render.Blueprint {
	key := blueprintKey{choice.Item, phase}
	if known, done := p.blueprints[key]; done {
		return known
	}
	of := &document.Plugin{Item: choice.Item, Name: document.Identity(choice.Item), Spec: *choice.Spec}
	blueprint, problems := render.NewBlueprint(of, phase, p.options)
	p.blueprints[key] = blueprint
	for _, problem := range problems {
		message := problem.Message
		if problem.Severity == krm.Error {
			message += moreFindings
		}
		p.call.List.Report(krm.At(of.Item, problem.Path, problem.Severity, message))
	}
	if blueprint == nil {
		return nil
	}
	if len(of.Spec.Workflow(phase)) == 0 {
		rendered := "nothing is rendered for it"
		if blueprint.CleansUp() {
			rendered = "only the removal of its Secrets is rendered"
		}
		p.call.List.Report(krm.At(of.Item, "spec", krm.Info, fmt.Sprintf("has no %s phase: %s", phase, rendered)))
	}
	p.order = append(p.order, blueprint)
	return blueprint
}

// namespaces reports the namespaces that a render needs.
func (p *plan) namespaces() {
	needed := map[string]bool{}
	for _, blueprint := range p.order {
		needed[blueprint.Namespace()] = true
	}
	for _, t := range p.tasks {
		for namespace := range t.request.Copies {
			needed[namespace] = true
		}
	}
	delete(needed, "default")
	names := slices.Sorted(maps.Keys(needed))
	for i, name := range names {
		names[i] = strconv.Quote(name)
	}
	if len(names) > 0 {
		p.call.List.Report(krm.NewResult(krm.Info,
			"must exist before the render is applied: namespace "+strings.Join(names, ", ")))
	}
}
