package function

import (
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/image"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Build is all functions in one, on files alone: a command of rplug, and no KRM function.
func Build() cli.Function {
	return cli.Function{
		Name: "build",
		Purpose: "checks documents, resolves their versions and renders them: the phases of resources, packages and forks, as " +
			"validate, resolve, render and fork do one after the other.",
		Output: cli.Objects,
		Example: "build . | kubectl apply -f -\nbuild --output-dir rendered .\n" +
			"build --check rendered . # in CI: exit code 1 if it is not up to date",
		Config:       func() cli.Config { return newBuild() },
		Image:        func(c cli.Config) string { return c.(*buildConfig).Image },
		Rules:        slices.Concat(validate.Rules, validate.FileRules),
		OpenRevision: func(name string) (cli.Revision, error) { return load.OpenRevision(name, load.MaxFile) },
		WithoutStdin: true,
		Folder:       writeFolder,
	}
}

// buildConfig has the fields of all functions. Those that several have, and those that are none of build's, are declared
// again.
type buildConfig struct {
	v1alpha1.RenderPhase
	v1alpha1.RenderSandbox
	v1alpha1.ResolveVersion
	v1alpha1.ValidatePlugin

	Cluster string `json:"cluster" help:"render the sandboxes of this cluster alone"`
	Strict  bool   `json:"strict" help:"turn warnings into errors"`
	NoForks bool   `json:"noForks" help:"leave out forks, whose baselines must be among the paths otherwise"`
	Image   string `json:"image" help:"image of a Crossplane package: NAME[:TAG][@DIGEST]"`

	// These print something else, or are for kpt or an old crossplane.
	Images, Lock, Explain, Prune               bool   `json:"-"`
	Compatible, ExecutorImage, TemplatingImage string `json:"-"`
}

func newBuild() *buildConfig {
	chain := build.New()
	return &buildConfig{RenderPhase: chain.Render, RenderSandbox: chain.Sandbox, ResolveVersion: chain.Resolve}
}

// ApplyProject implements cli.ProjectConfig.
func (c *buildConfig) ApplyProject(file v1alpha1.Project, given func(flag string) bool) {
	checks := validatePlugin{v1alpha1.ValidatePlugin{Strict: c.Strict, Rules: c.Rules}}
	checks.ApplyProject(file, given)
	c.Strict, c.Rules = checks.Strict, checks.Rules
	if file.Cluster != "" && !given("cluster") {
		c.Cluster = file.Cluster
	}
	if file.HelperImage != "" && !given("helper-image") {
		c.HelperImage = file.HelperImage
	}
}

// chain returns the chain that the config describes.
func (c *buildConfig) chain(call cli.Call) build.Chain {
	chain := build.Chain{
		Validate: validate.Options{Strict: c.Strict, Rules: c.Rules},
		Resolve:  c.ResolveVersion, Render: c.RenderPhase, Sandbox: c.RenderSandbox, NoForks: c.NoForks, Base: baseOf(call),
	}
	chain.Resolve.Strict = c.Strict
	chain.Render.Cluster, chain.Sandbox.Cluster = c.Cluster, c.Cluster
	return chain
}

// Process runs the chain on the documents.
func (c *buildConfig) Process(call cli.Call) (string, error) {
	debug.SetGCPercent(garbage)
	if wrong := image.Check(c.Image); wrong != "" {
		call.ConfigError("image", wrong)
	}
	call.List.Report(call.Found()...)
	result, err := c.chain(call).Run(call.List)
	call.Suppressed(result.Suppressed...)
	switch {
	case reportOptions(call, err):
		return "", nil
	case err != nil:
		return "", err
	case call.List.Results().Failed():
		return "nothing rendered: fix the errors above", nil
	}
	call.SetRendered(result.Objects...)
	if c.Baseline {
		call.SetRendered(call.List.Items()...)
	}
	if result.Rendered.Packages.Requests == 0 {
		reportNothing(call, c.Cluster, result.Objects, c.nothing)
	}
	if c.NoForks {
		return result.Rendered.String(), nil
	}
	return fmt.Sprintf("%s, %s", result.Rendered, forked(result.Forks)), nil
}

// nothing says why the sandboxes have no objects.
func (c *buildConfig) nothing(sandboxes []*document.Sandbox) string {
	if c.NoForks || !slices.ContainsFunc(sandboxes, func(s *document.Sandbox) bool { return len(s.Spec.Forks) > 0 }) {
		return (&renderPhase{c.RenderPhase}).nothing(sandboxes)
	}
	return nothingForked(sandboxes)
}

func writeFolder(items []*krm.Item, options cli.FolderOptions) (cli.FolderReport, error) {
	folder := build.Folder(options)
	if options.Compare {
		return folder.Check(items)
	}
	return folder.Write(items)
}
