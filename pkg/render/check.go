package render

import (
	"fmt"
	"path"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/manifest"
	"github.com/resource-plugins/krm-functions/pkg/overlay"
	"github.com/resource-plugins/krm-functions/pkg/plugin"
	"github.com/resource-plugins/krm-functions/pkg/workflow"
)

const overlayPath krm.Path = "spec.runner.podTemplateOverlay"

// checker looks for what would make a wrong or a dangerous object of a plugin. What else a plugin must keep is for
// package rule.
type checker struct {
	spec     *plugin.Spec
	mounts   map[string]bool // of the overlay's main container
	problems []Problem
}

func checkPlugin(spec *plugin.Spec, graph *workflow.Graph, o *overlay.Overlay) []Problem {
	c := &checker{spec: spec, mounts: mainMounts(o.Template)}
	if namespace := spec.RunnerNamespace(); !key(namespace) || strings.ContainsAny(namespace, "._") {
		c.report("spec.runner.namespace", "must be the name of a namespace, not %q", namespace)
	}
	for _, dangle := range graph.Dangling() {
		c.report(dangle.At.Input(dangle.Input).Key("valueFromStep"), "must name an output of a step: %s", dangle.Fault)
	}
	for _, cycle := range graph.Cycles() {
		c.report(cycle.Steps[0].Input(cycle.Input), "steps must not wait for each other: %s", cycle)
	}
	names := map[string]bool{}
	for ref, step := range spec.Steps() {
		if names[step.Name] || !key(step.Name) {
			c.report(ref.Path().Key("name"), "must be a name that no other step has, not %q", step.Name)
		}
		names[step.Name] = true
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
	return c.problems
}

func (c *checker) report(at krm.Path, format string, args ...any) {
	c.problems = append(c.problems, Problem{Severity: krm.Error, Path: at, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) inputs(ref plugin.StepRef, step *plugin.Step) {
	variables, files, names := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range step.Inputs {
		input, at := &step.Inputs[i], ref.Input(i)
		if input.ValueFromSandbox == (input.ValueFromStep != nil) {
			c.report(at, "must have exactly one of valueFromSandbox: true and valueFromStep")
		}
		if names[input.Name] || !key(input.Name) {
			c.report(at.Key("name"), "must be a name that no other input of the step has, not %q", input.Name)
		}
		names[input.Name] = true
		if name := input.Env(); name != "" {
			if variables[name] || !variableName(name) {
				c.report(at, "must have a variable of its own and of printable characters without =, not %q", name)
			}
			variables[name] = true
		}
		if file := input.Path(); file != "" {
			c.file(at.Key("as").Key("path"), file, files)
		}
	}
}

// file checks where an input is mounted. A path is hostile: it must not hide what the step needs, nor a token.
func (c *checker) file(at krm.Path, file string, taken map[string]bool) {
	switch {
	case !isFile(file):
		c.report(at, "must be the absolute path of a file without `..`, colons and control characters, not %q", file)
	case overlay.Reserved(file) || below(file, contract.TokenMountPath) || below(contract.TokenMountPath, file):
		c.report(at, "must not be %q: the step needs what is mounted there", file)
	case c.mounts[file]:
		c.report(at, "must not be %q: the overlay mounts a volume there", file)
	case taken[file]:
		c.report(at, "must not be %q: another input of the step has it", file)
	}
	taken[file] = true
}

func (c *checker) outputs(ref plugin.StepRef, step *plugin.Step) {
	names := map[string]bool{}
	for i, output := range step.Outputs {
		at := ref.Output(i)
		if names[output.Name] || !key(output.Name) {
			c.report(at.Key("name"), "must be a name that no other output of the step has, not %q", output.Name)
		}
		names[output.Name] = true
		if !isFile(output.ValueFromPath) {
			c.report(at.Key("valueFromPath"), "must be the absolute path of a file without `..`, not %q", output.ValueFromPath)
		}
	}
}

func mainMounts(template manifest.Map) map[string]bool {
	mounts := map[string]bool{}
	for _, container := range template.Map("spec").List("containers") {
		if main := container.(manifest.Map); main.Text("name") == contract.MainContainer {
			for _, mount := range main.List("volumeMounts") {
				mounts[path.Clean(mount.(manifest.Map).Text("mountPath"))] = true
			}
		}
	}
	return mounts
}

// key tells whether text may be a key of a ConfigMap or Secret and the value of a label.
func key(text string) bool {
	for i := range len(text) {
		c := text[i]
		if c != '-' && c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return text != "" && len(text) <= 63 && text[0] != '.'
}

func variableName(name string) bool {
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c > '~' || c == '=' {
			return false
		}
	}
	return true
}

func isFile(file string) bool {
	for i := range len(file) {
		if c := file[i]; c < ' ' || c == 0x7f || c == ':' {
			return false
		}
	}
	return strings.HasPrefix(file, "/") && path.Clean(file) == file && file != "/"
}

// below tells whether a path is a folder or in it. /run counts as /var/run, which it is in most images.
func below(file, folder string) bool {
	file, folder = strings.TrimPrefix(file, "/var")+"/", strings.TrimPrefix(folder, "/var")+"/"
	return strings.HasPrefix(file, folder)
}
