package render

import (
	"path"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const overlayPath krm.Path = "spec.runner.podTemplateOverlay"

// checker looks for mistakes in a plugin that would make a wrong or dangerous object. Package validate checks the other
// rules for plugins.
type checker struct {
	traits   engine.Traits
	mounts   map[string]bool // of the overlay's main container
	problems []strictyaml.Problem
}

func checkPlugin(
	spec *v1alpha1.ResourcePluginSpec, graph *document.Graph, o *overlay.Overlay, traits engine.Traits,
) []strictyaml.Problem {
	c := &checker{traits: traits, mounts: map[string]bool{}}
	if main := containerNamed(o.Template.Spec.Containers, contract.MainContainer); main != nil {
		for _, mount := range main.VolumeMounts {
			c.mounts[path.Clean(mount.MountPath)] = true
		}
	}
	c.form("spec.runner.namespace", document.CheckLabel(spec.RunnerNamespace()))
	c.text("spec.runner.image", spec.Runner.Image)
	for _, problem := range graph.Problems() {
		c.report(problem.Path, "%s", problem.Message)
	}
	names := map[string]bool{}
	for ref, step := range document.Steps(spec) {
		c.name(ref.Path().Key("name"), "step", step.Name, names)
		c.inputs(ref, step)
		c.outputs(ref, step)
		if n := len(graph.Producers(ref)); n > contract.MaxProducers {
			c.report(ref.Path().Key("inputs"), "must read outputs of at most %d steps, not %d", contract.MaxProducers, n)
		}
		if len(step.Name)+len(step.Script) > maxConfigMap {
			c.report(ref.Path().Key("script"), "must have at most %d bytes, which a ConfigMap holds: fetch the rest, or put "+
				"it into the image", maxConfigMap-len(step.Name))
		}
	}
	if n := toCleanUp(spec); leavesSecrets(spec) && n > contract.MaxSecrets {
		c.report("spec", "must have at most %d delete steps and create steps with outputs, not %d: the Pod that removes their "+
			"Secrets in the end is told of each", contract.MaxSecrets, n)
	}
	return c.problems
}

func (c *checker) report(at krm.Path, format string, args ...any) {
	c.problems = append(c.problems, strictyaml.Error(at, format, args...))
}

// form reports the problem with a name, if any.
func (c *checker) form(at krm.Path, wrong string) {
	if wrong != "" {
		c.report(at, "%s", wrong)
	}
}

// name checks a name that becomes a key of a ConfigMap or Secret.
func (c *checker) name(at krm.Path, what, name string, taken map[string]bool) {
	switch {
	case name == "":
		c.report(at, "must be set")
	case taken[name]:
		c.report(at, "must be a name that no other %s has, not %q", what, name)
	default:
		c.form(at, document.CheckIdentifier(name))
	}
	taken[name] = true
}

func (c *checker) inputs(ref document.StepRef, step *v1alpha1.Step) {
	variables, files, names := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range step.Inputs {
		input, at := &step.Inputs[i], ref.Input(i)
		c.name(at.Key("name"), "input of the step", input.Name, names)
		if name := input.Env(); name != "" {
			if variables[name] {
				c.report(at, "must have its own variable, not %q", name)
			}
			c.form(at, document.CheckVariable(name))
			variables[name] = true
		}
		if file := input.Path(); file != "" {
			c.file(at.Key("as").Key("path"), file, files)
		}
	}
}

// file checks the mount path of an input. Paths are untrusted: they must hide neither files that the step needs nor a
// token.
func (c *checker) file(at krm.Path, file string, taken map[string]bool) {
	wrong := document.CheckFile(file)
	file = path.Clean(file)
	switch {
	case wrong != "":
		c.form(at, wrong)
	case strings.Contains(file, ":"):
		c.report(at, "must not hold a colon as %q does: Kubernetes cannot mount it", file)
	case overlay.Reserved(file) || below(file, contract.TokenMountPath) || below(contract.TokenMountPath, file):
		c.report(at, "must not be %q: the step needs what is mounted there", file)
	case c.mounts[file]:
		c.report(at, "must not be %q: the overlay mounts a volume there", file)
	case taken[file]:
		c.report(at, "must not be %q: another input of the step has it", file)
	default:
		c.text(at, file)
	}
	taken[file] = true
}

// text refuses text that the engine would replace, in places where a reference cannot be used instead.
func (c *checker) text(at krm.Path, text string) {
	if e := c.traits.Expansion; e != nil && e.MatchString(text) {
		c.report(at, "must not hold %q, which %s replaces: use engine jobs", e.FindString(text), c.traits.Title)
	}
}

func (c *checker) outputs(ref document.StepRef, step *v1alpha1.Step) {
	names := map[string]bool{}
	for i, output := range step.Outputs {
		at := ref.Output(i)
		c.name(at.Key("name"), "output of the step", output.Name, names)
		if output.ValueFromPath == "" {
			c.report(at.Key("valueFromPath"), "must be set")
		}
		c.form(at.Key("valueFromPath"), document.CheckFile(output.ValueFromPath))
	}
}

// below reports whether a path is a folder or in it. /run counts as /var/run, which it is in most images.
func below(file, folder string) bool {
	file, folder = strings.TrimPrefix(file, "/var")+"/", strings.TrimPrefix(folder, "/var")+"/"
	return strings.HasPrefix(file, folder)
}

// Limits of Linux and Kubernetes that a param can run into.
const (
	maxVariable    = 128<<10 - 1 // bytes of NAME=VALUE: MAX_ARG_STRLEN without the last NUL
	maxEnvironment = 1 << 20     // bytes of all variables: half of what exec takes with the usual stack of 8 MiB
	maxAnnotations = 256 << 10   // bytes of all annotations of an object
)

// checkParams checks a resource's params against the limits of variables.
func (c *compiledPhase) checkParams(params map[string]string) (problems []strictyaml.Problem) {
	for _, ref := range c.order {
		if ref.Phase != c.phase {
			continue
		}
		step := c.steps[ref].spec
		size := 0
		for i := range step.Inputs {
			input := &step.Inputs[i]
			name, value := input.Env(), params[input.Name]
			if !input.ValueFromSandbox || name == "" {
				continue
			}
			size += len(name) + len(value)
			at := krm.Path("params").Key(input.Name)
			if longest := maxVariable - len(name) - 1; len(value) > longest {
				problems = append(problems, strictyaml.Error(at,
					"must have at most %d bytes to be a variable, not %d: the plugin must read it as a file (as.path) only",
					longest, len(value)))
			} else if strings.IndexByte(value, 0) >= 0 {
				problems = append(problems, strictyaml.Error(at, "must not hold a NUL character: no variable can"))
			}
		}
		if size > maxEnvironment {
			problems = append(problems, strictyaml.Error("params", "must have at most %d bytes together as variables of step %q, "+
				"not %d: read large ones as files (as.path) only", maxEnvironment, step.Name, size))
		}
	}
	return problems
}

// checkSize reports a workload that the API server would not store.
func (r *renderer) checkSize(step string, size int) {
	if size > r.traits.MaxSpec {
		r.report("", "step %q must have a spec of at most %d bytes, not %d: read large params as files (as.path) only",
			step, r.traits.MaxSpec, size)
	}
}

// checkAnnotations reports a Pod that the API server would not store.
func (r *renderer) checkAnnotations(step string, annotations map[string]string) {
	total := 0
	for key, value := range annotations {
		total += len(key) + len(value)
	}
	if total > maxAnnotations {
		r.report("", "step %q must have annotations of at most %d bytes, not %d: shorten those of the overlay",
			step, maxAnnotations, total)
	}
}

// checkTexts refuses names that the engine would replace a part of: they are in annotations of Pods.
func (r *renderer) checkTexts() {
	e := r.traits.Expansion
	switch {
	case e == nil:
	case e.MatchString(r.Resource):
		r.report("name", "must not hold %q, which %s replaces: use engine jobs", e.FindString(r.Resource), r.traits.Title)
	case e.MatchString(r.Sandbox):
		r.report("", "the name of the sandbox must not hold %q, which %s replaces: use engine jobs", e.FindString(r.Sandbox),
			r.traits.Title)
	}
}

func (r *renderer) report(at krm.Path, format string, args ...any) {
	r.problems = append(r.problems, strictyaml.Error(at, format, args...))
}
