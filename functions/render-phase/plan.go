package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/catalog"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/krm/process"
	"github.com/resource-plugins/krm-functions/pkg/plugin"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// plan is what is to be rendered.
type plan struct {
	call       process.Call
	options    render.Options
	phase      plugin.Phase
	plugins    *catalog.Catalog
	blueprints map[blueprintKey]*render.Blueprint // nil where the plugin cannot be rendered
	order      []*render.Blueprint
	tasks      []task
	// present are the sandboxes whose phase is the config's.
	present map[string]bool
}

type blueprintKey struct {
	plugin *plugin.Plugin
	phase  plugin.Phase
}

// task is one resource.
type task struct {
	subject   *subject
	index     int
	phase     plugin.Phase
	blueprint *render.Blueprint
	request   render.Request
}

func newPlan(call process.Call, options render.Options, phase plugin.Phase) *plan {
	p := &plan{
		call: call, options: options, phase: phase, plugins: catalog.New(call.List.Items()),
		blueprints: map[blueprintKey]*render.Blueprint{}, present: map[string]bool{},
	}
	call.List.Report(p.plugins.Problems()...)
	return p
}

// add plans the resources of a sandbox.
func (p *plan) add(s *subject) {
	phase := p.phase
	if s.absent {
		phase = plugin.Delete
	}
	if phase == p.phase {
		p.present[s.LowerName()] = true
	}
	record, err := catalog.ReadRecord(s.Item)
	if err != nil {
		p.report(s, "", err)
		return
	}
	resolve := p.plugins.Resolve
	if phase == plugin.Delete {
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
		if blueprint := p.blueprint(choice.Plugin, phase); blueprint != nil {
			p.tasks = append(p.tasks, task{
				subject: s, index: i, phase: phase, blueprint: blueprint,
				request: render.Request{
					Sandbox: s.LowerName(), SandboxID: s.id, Resource: resource.Name, Params: resource.Params,
					Plugin: choice.Name.String(), Digest: choice.Digest,
				},
			})
		}
	}
}

// report reports why a reference was not resolved.
func (p *plan) report(s *subject, at krm.Path, err error) {
	var document *catalog.DocumentError
	if errors.As(err, &document) {
		p.call.List.Report(document.Result())
		return
	}
	p.call.List.Report(krm.At(s.Item, at, krm.Error, err.Error()))
}

// blueprint prepares a plugin's phase, once.
func (p *plan) blueprint(of *plugin.Plugin, phase plugin.Phase) *render.Blueprint {
	key := blueprintKey{of, phase}
	if known, done := p.blueprints[key]; done {
		return known
	}
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
		p.call.List.Report(krm.At(of.Item, "spec", krm.Info, fmt.Sprintf("has no %s phase: nothing is rendered for it", phase)))
	}
	p.order = append(p.order, blueprint)
	return blueprint
}

// namespaces reports the namespaces that a render needs.
func (p *plan) namespaces() {
	var names []string
	for _, blueprint := range p.order {
		if name := strconv.Quote(blueprint.Namespace()); name != `"default"` && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		slices.Sort(names)
		p.call.List.Report(krm.Result{
			Severity: krm.Info, Message: "must exist before the render is applied: namespace " + strings.Join(names, ", "),
		})
	}
}
