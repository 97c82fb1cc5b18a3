// Package build runs the whole chain on documents in one process: it validates them, resolves versions, and renders phases
// and forks, as the functions do one after the other. Its main type is Chain:
//
//	chain := build.New()
//	result, err := chain.Run(list)
//	if !list.Results().Failed() { … result.Objects … }
package build

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/stackrender"
	"github.com/resource-plugins/krm-functions/internal/stackresolve"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Chain holds the options of the functions.
type Chain struct {
	Validate validate.Options
	Resolve  v1alpha1.ResolveVersion
	Render   v1alpha1.RenderPhase
	Sandbox  v1alpha1.RenderSandbox
}

// New returns a chain with the functions' defaults.
func New() Chain {
	return Chain{
		Resolve: v1alpha1.ResolveVersion{Mode: resolve.Keep},
		Render:  render.DefaultOptions().RenderPhase,
		Sandbox: sandbox.DefaultOptions().RenderSandbox,
	}
}

// Result is what a chain has rendered.
type Result struct {
	// Objects are the items of the list that were rendered: those of resources, of packages, and of forks.
	Objects  []*krm.Item
	Phases   render.Summary
	Packages stackrender.Summary
	Forks    sandbox.Summary
}

// Run runs the chain on a list. What is wrong with a document is a result of the list; nothing is rendered after an error.
// The error is about options (krm.OptionErrors), or a list that cannot be processed at all.
func (c Chain) Run(list *krm.ResourceList) (Result, error) {
	var result Result
	for _, step := range []func(*krm.ResourceList, *Result) error{c.validate, c.resolve, c.phases, c.packages, c.forks} {
		if err := step(list, &result); err != nil {
			return Result{}, err
		}
		if list.Results().Failed() {
			return Result{}, nil
		}
	}
	return result, nil
}

func (c Chain) validate(list *krm.ResourceList, _ *Result) error {
	checked, err := validate.Check(list, c.Validate)
	if err != nil {
		return err
	}
	kept, _ := validate.Suppress(list, checked.Results, c.Validate)
	list.Report(kept...)
	return nil
}

func (c Chain) resolve(list *krm.ResourceList, _ *Result) error {
	_, err := resolve.Resolve(list, resolve.Options{ResolveVersion: c.Resolve, Others: stackresolve.Names(list)})
	if err != nil {
		return err
	}
	_, err = stackresolve.Pin(list, stackresolve.Options{ResolveVersion: c.Resolve})
	return err
}

func (c Chain) renderOptions() render.Options {
	options := render.DefaultOptions()
	options.RenderPhase, options.WithoutPaths = c.Render, true
	return options
}

func (c Chain) phases(list *krm.ResourceList, result *Result) (err error) {
	result.Phases, err = render.Phases(list, c.renderOptions())
	result.Objects = append(result.Objects, result.Phases.Objects...)
	return err
}

func (c Chain) packages(list *krm.ResourceList, result *Result) (err error) {
	result.Packages, err = stackrender.Render(list, c.renderOptions())
	result.Objects = append(result.Objects, result.Packages.Objects...)
	return err
}

func (c Chain) forks(list *krm.ResourceList, result *Result) (err error) {
	options := sandbox.DefaultOptions()
	options.RenderSandbox, options.WithoutPaths = c.Sandbox, true
	result.Forks, err = sandbox.Render(list, options)
	result.Objects = append(result.Objects, result.Forks.Objects...)
	return err
}
