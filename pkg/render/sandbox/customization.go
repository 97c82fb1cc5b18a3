// Package customization changes a copied workload as a fork's customizations ask: images, then variables, then a patch, each
// on what the one before left (Sandbox spec, customizations). What cannot be done is told with the field that asks for it.
package sandbox

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Sources are what values of variables come from.
type Sources struct {
	// Output returns the Secret and the key that hold an output of a resource, in whatever namespace the workload is.
	Output func(v1alpha1.ResourceOutput) (secret, key string)
	// Fork returns where a fork of the same sandbox is reached. It is false where no Service is in front of it.
	Fork func(v1alpha1.Workload) (Address, bool)
}

// Address is where a fork is reached.
type Address struct {
	Host string
	Port int
}

// Apply returns the workload with the customizations; at is their path in the sandbox. With an error among the problems the
// workload must not be used.
func Customize(workload *yaml.Node, c *v1alpha1.Customizations, at krm.Path, from Sources) (*yaml.Node, []strictyaml.Problem) {
	if c == nil {
		return workload, nil
	}
	b := bench{Sources: from, workload: workload}
	for i := range c.Images {
		b.image(&c.Images[i], at.Key("images").Index(i))
	}
	for i := range c.Env {
		b.variable(&c.Env[i], at.Key("env").Index(i))
	}
	if c.Patch != nil {
		b.patch(c.Patch, at.Key("patch"))
	}
	return b.workload, b.problems
}

// bench is a workload under change.
type bench struct {
	Sources

	workload *yaml.Node
	problems []strictyaml.Problem
}

func (b *bench) report(at krm.Path, severity krm.Severity, format string, args ...any) {
	b.problems = append(b.problems, strictyaml.Problem{Severity: severity, Path: at, Message: fmt.Sprintf(format, args...)})
}

// patch applies a patch to the whole object.
func (b *bench) patch(p *v1alpha1.WorkloadPatch, at krm.Path) {
	value, err := ReadPatch(p.Value)
	if err != nil {
		b.report(at.Key("value"), krm.Error, "patch %v", err)
		return
	}
	if value == nil {
		return
	}
	var patched *yaml.Node
	switch p.Type {
	case "strategic":
		patched, err = StrategicPatch(b.workload, value, overlay.DeploymentShape())
	case "merge":
		patched = MergePatch(b.workload, value)
	case "json":
		patched, err = JSONPatch(b.workload, value)
	default:
		b.list(p.Type, value, at)
		return
	}
	if err != nil {
		b.report(at.Key("value"), krm.Error, "patch %v", err)
		return
	}
	b.workload = patched
}

// list applies a patch of one of the newer types, whose value is undocumented: it is read as what customizations hold under
// the key of that name, and nothing else is let pass.
func (b *bench) list(kind string, value *yaml.Node, at krm.Path) {
	key, named := map[string]string{"signadot/env": "env", "signadot/image": "images"}[kind]
	if !named {
		b.report(at.Key("type"), krm.Error, "must be json, merge or strategic, or signadot/env or signadot/image, not %q", kind)
		return
	}
	if value.Kind != yaml.SequenceNode {
		b.report(at.Key("value"), krm.Error, "patch of type %q must be a list as customizations.%s is", kind, key)
		return
	}
	var c v1alpha1.Customizations
	wrapped := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{
		{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value,
	}}
	for _, problem := range strictyaml.Into(wrapped, "", &c) {
		b.report(at.Key("value"), problem.Severity, "patch: %s %s", problem.Path, problem.Message)
		if problem.Severity == krm.Error {
			return
		}
	}
	for i := range c.Images {
		b.image(&c.Images[i], at.Key("value"))
	}
	for i := range c.Env {
		b.variable(&c.Env[i], at.Key("value"))
	}
}
