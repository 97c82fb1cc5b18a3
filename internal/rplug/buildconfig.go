package rplug

import (
	"context"
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/function/rendersandbox"
	"github.com/resource-plugins/krm-functions/internal/function/validateplugin"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// BuildFunction is all functions in one, on files alone: a command of rplug, and no KRM function. Features base theirs on
// it.
func BuildFunction(extensions ...renderphase.Extension) cli.Function {
	common := renderphase.Extensions(extensions).Common()
	rules := extension.Rules(common)
	return cli.Function{
		Name: "build",
		Purpose: "checks documents, resolves their versions and renders them: the phases of resources, packages and forks, as " +
			"validate, resolve, render and fork do one after the other.",
		Example: "build . | kubectl apply -f -\nbuild --output-dir rendered .\n" +
			"build --check rendered . # in CI: exit code 1 if it is not up to date",
		Config:       func() cli.Config { return NewBuildConfig(extensions...) },
		Extensions:   common,
		Rules:        slices.Concat(validate.Rules(rules...), validate.FileRules(rules...)),
		OpenRevision: func(name string) (cli.Revision, error) { return load.OpenRevision(name, load.MaxFile) },
		Project: []string{
			"rules", "strict", "catalogs", "cluster", "helperImage", "podTemplateDefaults", "resolve", "render", "fork",
		},
		Groups:       buildGroups(),
		WithoutStdin: true,
		Modes:        func() []cli.Mode { return []cli.Mode{&cli.Folder{Open: openFolder}} },
	}
}

// PackageImage implements cli.PackageReader.
func (c *BuildConfig) PackageImage() string { return c.options.Image }

// BuildConfig has the configs of the functions and the options of build. It implements cli.Config and cli.Composite.
type BuildConfig struct {
	build.Chain
	options buildOptions
}

type buildOptions struct {
	NoForks bool   `json:"noForks" help:"leave out forks, whose baselines must be among the paths otherwise"`
	Image   string `json:"image" help:"image of a Crossplane package: NAME[:TAG][@DIGEST]"`
	v1alpha1.ValidatePlugin
}

// NewBuildConfig returns the defaults.
func NewBuildConfig(extensions ...renderphase.Extension) *BuildConfig {
	return &BuildConfig{Chain: build.New(extensions...)}
}

// Parts implements cli.Composite.
func (c *BuildConfig) Parts() []any { return []any{&c.options, &c.Resolve, &c.Render, &c.Sandbox} }

// Without implements cli.Composite: these print something else, or are for kpt or an old crossplane.
func (*BuildConfig) Without() []string {
	return []string{"images", "lock", "explain", "prune", "compatible", "executorImage", "templatingImage"}
}

// Process runs the chain on the documents.
func (c *BuildConfig) Process(call cli.Call) (string, error) {
	cli.LimitGarbage(cli.GrowthOfTrees)
	chain := c.prepare(call)
	result, err := chain.Run(call.List)
	call.Suppressed(result.Suppressed...)
	switch {
	case call.OptionErrors(err):
		return "", nil
	case err != nil:
		return "", err
	case call.List.Results().Failed():
		return nothingRendered, nil
	}
	call.SetRendered(result.Objects...)
	if c.Sandbox.Baseline {
		call.SetRendered(call.List.Items()...)
	}
	if result.Rendered.Requests() == 0 {
		call.ReportNothing(c.Render.Cluster, result.Objects, c.nothing)
	}
	return c.summary(result), nil
}

const nothingRendered = "nothing rendered: fix the errors above"

// prepare returns the chain for a call, and reports the findings from reading the files.
func (c *BuildConfig) prepare(call cli.Call) build.Chain {
	if wrong := document.CheckImage(c.options.Image); wrong != "" {
		call.ConfigError("image", wrong)
	}
	if c.options.Strict {
		call.RefuseFileWarnings()
	}
	call.List.Report(call.Found()...)
	chain := c.Chain
	chain.Validate.Strict, chain.Validate.Rules = c.options.Strict, c.options.Rules
	chain.RefuseEmpty = call.RefuseEmpty
	chain.NoForks, chain.Base = c.options.NoForks, validateplugin.BaseOf(call)
	if call.Base != nil {
		chain.Elsewhere = call.Base.Today
	}
	return chain
}

// summary describes the rendered objects.
func (c *BuildConfig) summary(result build.Result) string {
	if c.options.NoForks {
		return result.Rendered.String()
	}
	return fmt.Sprintf("%s, %s", result.Rendered, rendersandbox.Forked(result.Forks))
}

// Split implements cli.Splitter.
func (c *BuildConfig) Split(cache *incremental.Cache) cli.PartsProcessor {
	parts := c.InParts(cache)
	if parts == nil || c.options.Image != "" {
		return nil
	}
	return &buildParts{parts, c}
}

// buildParts is BuildConfig for a part of the documents at a time.
type buildParts struct {
	*build.Parts
	config *BuildConfig
}

// ProcessParts implements cli.PartsProcessor.
func (p *buildParts) ProcessParts(call cli.Call, documents cli.Postponed) (summary string, done bool, err error) {
	result, done, err := p.Run(p.config.prepare(call), call, documents)
	if err != nil || !done {
		return "", false, err
	}
	call.Suppressed(result.Suppressed...)
	if call.List.Results().Failed() {
		return nothingRendered, true, nil
	}
	return p.config.summary(result), true, nil
}

// nothing explains why the sandboxes have no objects.
func (c *BuildConfig) nothing(sandboxes []*document.Sandbox) string {
	if c.options.NoForks || !slices.ContainsFunc(sandboxes, func(s *document.Sandbox) bool { return len(s.Spec.Forks) > 0 }) {
		return renderphase.Nothing(c.Render)(sandboxes)
	}
	return rendersandbox.NothingForked(sandboxes)
}

func openFolder(options cli.FolderOptions) cli.FolderWriter {
	folder := build.NewFolder(options)
	finish := folder.Write
	if options.Compare {
		finish = func(context.Context) (cli.FolderReport, error) { return folder.Check() }
	}
	return cli.FolderWriter{Add: folder.Add, Finish: finish, Close: folder.Close}
}

// postRenderFunction is BuildFunction for the output of Helm: documents that are not input of ours are printed, too,
// both phases are rendered, and objects are not escaped, since they are no templates of a chart.
func postRenderFunction(extensions ...renderphase.Extension) cli.Function {
	f := BuildFunction(extensions...)
	f.Name, f.Workloads, f.Modes = "post-render", true, nil
	f.Config = func() cli.Config {
		c := NewBuildConfig(extensions...)
		c.Render.Delivery, c.PostRender = "helm", true
		c.Render.Phases = []string{string(v1alpha1.PhaseCreate), string(v1alpha1.PhaseDelete)}
		return c
	}
	return f
}
