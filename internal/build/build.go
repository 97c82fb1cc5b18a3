// Package build runs the whole chain on documents in one process: it validates them, resolves versions, and renders phases
// and forks. A KRM function calls only its own step; Chain calls all of them:
//
//	chain := build.New()
//	result, err := chain.Run(list)
//	if !list.Results().Failed() { … result.Objects … }
//
// Folder writes objects to a folder, or compares the folder with them.
package build

import (
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/function/resolveversion"
	"github.com/resource-plugins/krm-functions/internal/function/validateplugin"
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

	// NoForks omits forks, so that the list need not have their baselines.
	NoForks bool
	// PostRender is the option of the same name in render.Options.
	PostRender bool
	// RefuseEmpty is the option of the same name in render.Options and sandbox.Options.
	RefuseEmpty bool
	// Base is the older state to compare documents with, or nil. The delete phase of sandboxes that are gone since is
	// rendered, unless Elsewhere has them: documents of today that are not in the list, or nil.
	Base      *validate.Base
	Elsewhere *krm.ResourceList

	// Extensions are features; Validate has their rules.
	Extensions renderphase.Extensions

	part bool // the option Part of render.Options
}

// New returns a chain with the defaults of the functions, and with features.
func New(extensions ...renderphase.Extension) Chain {
	return Chain{
		Validate: validate.Options{Extensions: extension.Rules(renderphase.Extensions(extensions).Common())},
		Resolve:  v1alpha1.ResolveVersion{Mode: resolve.Keep},
		Render:   render.DefaultOptions().RenderPhase,
		Sandbox:  sandbox.DefaultOptions().RenderSandbox,

		Extensions: extensions,
	}
}

// Result holds the rendered objects of a chain.
type Result struct {
	// Objects are the items of the list that were rendered: those of resources, of extensions, and of forks.
	Objects  []*krm.Item
	Rendered renderphase.Rendered
	Forks    sandbox.Summary
	// Suppressed are the findings suppressed by comments in the documents.
	Suppressed []validate.Suppressed

	failed stage // that has reported an error; 0 if none has
}

// stage is a step of a chain.
type stage int

const (
	validating stage = 1 + iota
	resolving
	rendering
	forking
)

// Run runs the chain on a list. Findings about documents are added to the results of the list; nothing is rendered if there
// is an error that no comment suppresses. The error is about options (krm.OptionErrors), or a list that cannot be processed.
func (c Chain) Run(list *krm.ResourceList) (Result, error) {
	var result Result
	if err := c.addGone(list); err != nil {
		return result, err
	}
	for i, step := range []func(*krm.ResourceList, *Result) error{c.validate, c.resolve, c.render, c.forks} {
		if err := step(list, &result); err != nil {
			return Result{}, err
		}
		if list.Results().Failed() {
			failed := Result{Suppressed: result.Suppressed, failed: validating + stage(i)}
			failed.Rendered.Phases.Together = result.Rendered.Phases.Together
			return failed, nil
		}
	}
	return result, nil
}

func (c Chain) validate(list *krm.ResourceList, result *Result) error {
	if _, err := validateplugin.Check(list, c.Validate, c.Base, c.Extensions.Common()...); err != nil {
		return err
	}
	var kept krm.Results
	kept, result.Suppressed = validate.Suppress(list, list.Results(), c.Validate)
	list.SetResults(slices.DeleteFunc(kept, c.expires))
	return nil
}

// expires reports whether a finding says that nothing acts on the ttl of a sandbox, and the rendered objects will: if
// they cannot, the renderer says so.
func (c Chain) expires(finding krm.Result) bool {
	return c.Render.Expiry != "" && finding.Tags[krm.RuleTag] == validate.TTLIgnored &&
		finding.Item().Kind() == contract.Sandbox
}

func (c Chain) resolve(list *krm.ResourceList, _ *Result) error {
	_, err := resolveversion.Resolve(list, resolve.Options{ResolveVersion: c.Resolve}, c.Extensions.Common()...)
	return err
}

func (c Chain) render(list *krm.ResourceList, result *Result) (err error) {
	options := render.DefaultOptions()
	options.RenderPhase, options.WithoutPaths, options.PostRender = c.Render, true, c.PostRender
	options.RefuseEmpty, options.Part = c.RefuseEmpty, c.part
	result.Rendered, err = renderphase.Render(list, options, c.Extensions...)
	result.Objects = result.Rendered.Objects()
	return err
}

func (c Chain) forks(list *krm.ResourceList, result *Result) (err error) {
	if c.NoForks {
		return nil
	}
	options := sandbox.DefaultOptions()
	options.RenderSandbox, options.WithoutPaths, options.RefuseEmpty = c.Sandbox, true, c.RefuseEmpty
	result.Forks, err = sandbox.Render(list, options)
	result.Objects = append(result.Objects, result.Forks.Objects...)
	return err
}
