package validate

import (
	"fmt"
	"iter"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const overlayPath krm.Path = "spec.runner.podTemplateOverlay"

// overlayForm: ResourcePlugin spec, podTemplateOverlay, and the CRD for the names. Package overlay knows it in detail.
var overlayForm = Rule{
	ID: "overlay", Severity: krm.Error,
	Demand: "The overlay is YAML of a partial pod template: no unknown field, no directive of a merge, no metadata.name, " +
		"restartPolicy Never or none, no container or volume of a reserved name.",
	Why:     "It is the base of each step's Pod, to which the step's own parts are added.",
	Example: `spec.runner.podTemplateOverlay: "spec: {restartPolicy: Always}"`,
	plugin:  func(c *pluginCheck) { c.overlayProblems(krm.Error) },
}

// overlayReplaced: ResourcePlugin spec, podTemplateOverlay: the main container's command is rewritten.
var overlayReplaced = Rule{
	ID: "overlay-replaced", Severity: krm.Warning,
	Demand:  "The overlay sets nothing that the step's own parts replace, such as the command of main.",
	Why:     "What is replaced has no effect.",
	Example: `spec.runner.podTemplateOverlay: "spec: {containers: [{name: main, command: [sh]}]}"`,
	plugin:  func(c *pluginCheck) { c.overlayProblems(krm.Warning) },
}

// overlayConflict: ResourcePlugin spec, podTemplateOverlay: an image or a namespace must not conflict with the runner's.
var overlayConflict = Rule{
	ID: "overlay-conflict", Severity: krm.Error,
	Demand:  "The overlay's namespace and main's image, where they are given, are the runner's.",
	Why:     "Both say what the steps run in, and where.",
	Example: `spec.runner.podTemplateOverlay: "metadata: {namespace: other}"`,
	plugin: func(c *pluginCheck) {
		image := c.Spec.Runner.Image
		for main := range c.overlayMains() {
			if sameImage(main.Image, image) {
				image = main.Image // two spellings of one image are no conflict
			}
		}
		namespace := c.Spec.RunnerNamespace()
		if c.unsure("spec.runner.image") || c.unsure("spec.runner.namespace") {
			return
		}
		for _, p := range c.overlay().Conflicts(image, namespace) {
			c.reportPart(overlayPath, p)
		}
	},
}

// overlayVariable: design, The overlay: ours wins, with a warning.
var overlayVariable = Rule{
	ID: "overlay-variable", Severity: krm.Warning,
	Demand:  "The overlay sets no variable of main that a step gets as an input, or that every step gets.",
	Why:     "The input's value wins, so the overlay's would never be seen.",
	Example: `spec.runner.podTemplateOverlay: "spec: {containers: [{name: main, env: [{name: DBNAME, value: x}]}]}"`,
	plugin: func(c *pluginCheck) {
		var taken map[string]string
		for main := range c.overlayMains() {
			for _, variable := range main.Env {
				if taken == nil {
					taken = c.takenVariables()
				}
				if by := taken[variable.Name]; by != "" {
					c.report(overlayPath, "variable %q of the overlay is never seen: remove it, %s gets another value for it",
						variable.Name, by)
				}
			}
		}
	},
}

// overlay returns the plugin's overlay, read once.
func (c *pluginCheck) overlay() *overlay.Overlay {
	if c.base == nil {
		c.base, c.baseProblems = overlay.Parse(c.Spec.Runner.PodTemplateOverlay)
	}
	return c.base
}

func (c *pluginCheck) overlayProblems(severity krm.Severity) {
	c.overlay()
	for _, p := range c.baseProblems {
		if p.Severity != severity {
			continue
		}
		if p.Path == "" && strings.Contains(c.Spec.Runner.PodTemplateOverlay, "@{") {
			p.Message += "; a directive @{…} must be quoted, or filled in before"
		}
		c.reportPart(overlayPath, p)
	}
}

// reportPart reports what is wrong inside the overlay or the patch at path.
func (c *check) reportPart(path krm.Path, p strictyaml.Problem) {
	line := p.Line
	p.Line = 0
	c.reportInside(path, line, 0, "%s", p)
}

// overlayMains runs through the overlay's containers named main: one, where it is as it must be.
func (c *pluginCheck) overlayMains() iter.Seq[corev1.Container] {
	return func(yield func(corev1.Container) bool) {
		for _, container := range c.overlay().Template.Spec.Containers {
			if container.Name == contract.MainContainer && !yield(container) {
				return
			}
		}
	}
}

// takenVariables returns who sets each of the variables that an overlay must leave alone.
func (c *pluginCheck) takenVariables() map[string]string {
	taken := map[string]string{}
	for _, name := range reservedVariables {
		taken[name] = "every step"
	}
	for _, step := range document.Steps(&c.Spec) {
		for i := range step.Inputs {
			if name := step.Inputs[i].Env(); name != "" && taken[name] == "" {
				taken[name] = fmt.Sprintf("step %q", step.Name)
			}
		}
	}
	return taken
}
