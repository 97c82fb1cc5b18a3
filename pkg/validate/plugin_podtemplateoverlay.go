package validate

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const overlayPath krm.Path = "spec.runner.podTemplateOverlay"

var overlayForm = Rule{
	ID: "overlay", Severity: krm.Error,
	Summary: "The overlay is YAML of a partial pod template: no unknown field, no directive of a merge, no metadata.name, " +
		"restartPolicy Never or none, no ephemeral containers, no container or volume of a reserved name. With " +
		"shareProcessNamespace or hostPID no container is privileged, runs as the user of the helpers, or has the " +
		"capabilities SYS_PTRACE, SYS_ADMIN or ALL.",
	Why: "It is the base of each step's Pod, to which the step's own parts are added. The token of the helpers must not be " +
		"readable in /proc.",
	Sources: []string{pluginSpec, "https://man7.org/linux/man-pages/man2/ptrace.2.html"},
	Example: `spec.runner.podTemplateOverlay: "spec: {restartPolicy: Always}"`,
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		p.reportOverlay(r, strictyaml.Problem.IsError)
	})},
}

var overlayReplaced = Rule{
	ID: overlay.RuleReplaced, Severity: krm.Warning,
	Summary: "The overlay sets nothing that the step's own parts replace, such as the command of main.",
	Why:     "What is replaced has no effect.",
	Example: `spec.runner.podTemplateOverlay: "spec: {containers: [{name: main, command: [sh]}]}"`,
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		p.reportOverlay(r, func(problem strictyaml.Problem) bool { return problem.Rule == r.ID })
	})},
}

var overlaySidecar = Rule{
	ID: overlay.RuleSidecar, Severity: krm.Warning,
	Summary: "The overlay has no container beside main that runs for as long as main does: it is an init container with " +
		"restartPolicy Always.",
	Why:     "A Pod ends when all its containers have ended, so the Job of a step would go on after its script.",
	Sources: []string{"https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#jobs-with-sidecar-containers"},
	Example: `spec: {runner: {image: ubuntu, podTemplateOverlay: "spec: {containers: [{name: proxy, image: ` +
		`cloud-sql-proxy}]}"}, create: [{name: make, script: "#!/bin/sh"}]}`,
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		if len(p.Spec.Delete) == 0 {
			p.reportOverlay(r, func(problem strictyaml.Problem) bool { return problem.Rule == r.ID })
		}
	})},
}

var overlaySidecarDelete = Rule{
	ID: "overlay-sidecar-delete", Severity: krm.Error,
	Summary: "The overlay of a plugin with a delete phase has no container beside main that runs for as long as main " +
		"does: it is an init container with restartPolicy Always.",
	Why: "The Jobs of the delete phase would never be complete, and a tool that waits for them would not remove the " +
		"sandbox.",
	Sources: []string{"https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#jobs-with-sidecar-containers"},
	Example: `spec.runner.podTemplateOverlay: "spec: {containers: [{name: proxy, image: cloud-sql-proxy}]}"`,
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		p.overlay()
		for _, problem := range p.overlayProblems {
			if problem.Rule == overlay.RuleSidecar && len(p.Spec.Delete) > 0 {
				problem.Message = "must not run beside main in a plugin with a delete phase, whose Jobs would never be complete: move " +
					"it to spec.initContainers with restartPolicy Always, so that it ends with main"
				p.reportPart(r, overlayPath, problem)
			}
		}
	})},
}

var overlayConflict = Rule{
	ID: "overlay-conflict", Severity: krm.Error,
	Summary: "If the overlay gives a namespace or an image of main, they are the runner's.",
	Why:     "Both define the image and the namespace of the steps.",
	Example: `spec.runner.podTemplateOverlay: "metadata: {namespace: other}"`,
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		runner := p.Spec.Runner.Image
		for _, main := range p.overlayMains() {
			if document.SameImage(main.Image, runner) {
				runner = main.Image // two spellings of one image are no conflict
			}
		}
		if p.Unsure("spec.runner.image") || p.Unsure("spec.runner.namespace") {
			return
		}
		for _, problem := range p.overlay().Conflicts(runner, p.Spec.RunnerNamespace()) {
			p.reportPart(r, overlayPath, problem)
		}
	})},
}

var overlayVariable = Rule{
	ID: "overlay-variable", Severity: krm.Warning,
	Summary: "The overlay sets no variable of main that a step gets as an input, or that every step gets.",
	Why:     "The input's value takes precedence, and the overlay's has no effect.",
	Sources: []string{},
	Example: `spec.runner.podTemplateOverlay: "spec: {containers: [{name: main, env: [{name: DBNAME, value: x}]}]}"`,
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		var taken map[string]string
		for _, main := range p.overlayMains() {
			for _, variable := range main.Env {
				if taken == nil {
					taken = p.takenVariables()
				}
				if by := taken[variable.Name]; by != "" {
					p.Report(r, overlayPath, "variable %q of the overlay has no effect: remove it, %s gets another value for it",
						variable.Name, by)
				}
			}
		}
	})},
}

var overlayAccount = Rule{
	ID: overlay.RuleAccount, Severity: krm.Warning,
	Summary: "The overlay of a plugin with outputs gives main no token of a ServiceAccount for the API server.",
	Why: "All sandboxes that use the plugin share the account, and it may read and write the Secrets with their outputs, " +
		"since the helpers in the Pod use it, too. With its token, the script of one sandbox could change the outputs of " +
		"another, or mark its delete steps as done.",
	Sources: []string{"https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/" +
		"#opt-out-of-api-credential-automounting"},
	Example: `spec: {runner: {image: ubuntu, podTemplateOverlay: "spec: {serviceAccountName: db-admin}"}, create: ` +
		`[{name: make, script: "#!/bin/sh\necho x > /tmp/x", outputs: [{name: x, valueFromPath: /tmp/x}]}]}`,
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		if o := p.overlay(); len(p.outputs) > 0 && o.HasToken() {
			p.Report(r, overlayPath, "must not give scripts the token of ServiceAccount %q, which all sandboxes that use the plugin "+
				"share and which may write their outputs: set automountServiceAccountToken: false, unless they need it", o.Account())
		}
	})},
}

var overlayToken = Rule{
	ID: "overlay-token", Severity: krm.Warning,
	Summary: "The overlay gives scripts no token for the API server, be it of the ServiceAccount that it names, in a plugin " +
		"without outputs, or in a volume.",
	Why: "The script of each sandbox that uses the plugin could do what the account may do. The rule `overlay-account` is " +
		"about plugins with outputs.",
	Sources: []string{"https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/" +
		"#opt-out-of-api-credential-automounting"},
	Example: `spec: {runner: {image: ubuntu, podTemplateOverlay: "spec: {serviceAccountName: admin, ` +
		`automountServiceAccountToken: true}"}, create: [{name: make, script: "#!/bin/sh\necho hello"}]}`,
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		switch o := p.overlay(); {
		case o.Account() == "" && o.ProjectsToken():
			p.Report(r, overlayPath, "must not give scripts a token for the API server: remove the volume that projects it, unless "+
				"they need it")
		case len(p.outputs) == 0 && o.HasToken():
			p.Report(r, overlayPath, "must not give scripts the token of ServiceAccount %q: set automountServiceAccountToken: "+
				"false, unless they need it", o.Account())
		}
	})},
}

// reportOverlay reports some of the problems of the overlay.
func (p *plugin) reportOverlay(r *Rule, isOfRule func(strictyaml.Problem) bool) {
	p.overlay()
	for _, problem := range p.overlayProblems {
		if !isOfRule(problem) {
			continue
		}
		if problem.Path == "" && strings.Contains(p.Spec.Runner.PodTemplateOverlay, "@{") {
			problem.Message += "; a directive @{…} must be quoted, or filled in before"
		}
		p.reportPart(r, overlayPath, problem)
	}
}

// reportPart reports a problem inside the overlay or the patch at path.
func (c *Document) reportPart(r *Rule, path krm.Path, problem strictyaml.Problem) {
	line := problem.Line
	problem.Line = 0
	c.ReportInside(r, path, line, 0, "%s", problem)
}

// overlayMains returns the overlay's containers named main: at most one if the overlay is valid.
func (p *plugin) overlayMains() (mains []corev1.Container) {
	for _, container := range p.overlay().Template.Spec.Containers {
		if container.Name == contract.MainContainer {
			mains = append(mains, container)
		}
	}
	return mains
}

// takenVariables returns the variables that an overlay must not set, and which component sets each.
func (p *plugin) takenVariables() map[string]string {
	taken := map[string]string{}
	for _, name := range contract.StepVariables() {
		taken[name] = "every step"
	}
	for _, in := range p.inputs {
		if name := in.Env(); name != "" && taken[name] == "" {
			taken[name] = fmt.Sprintf("step %q", in.step.Name)
		}
	}
	return taken
}
