package sandbox

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// customizer applies a fork's customizations to a copied workload: images, then variables, then a patch, each on the
// result of the previous one (Sandbox spec, customizations). Customizations that do not apply are reported at their
// fields.
type customizer struct {
	object  object
	sandbox *input
	failed  bool
}

// customize applies the customizations at a path of the sandbox. If it fails, the object must not be used.
func (c *customizer) customize(asked *v1alpha1.Customizations, at krm.Path) {
	if asked == nil {
		return
	}
	for i := range asked.Images {
		c.setImage(&asked.Images[i], at.Key("images").Index(i))
	}
	c.setEnv(asked.Env, at.Key("env"))
	c.mountBindings(asked.Env, at.Key("env"))
	if asked.Patch != nil {
		c.patch(asked.Patch, at.Key("patch"))
	}
}

func (c *customizer) report(at krm.Path, severity krm.Severity, format string, args ...any) {
	c.failed = c.failed || severity == krm.Error
	c.sandbox.report(at, severity, fmt.Sprintf(format, args...))
}

// patch applies a patch to the whole object.
func (c *customizer) patch(p *v1alpha1.WorkloadPatch, at krm.Path) {
	switch p.Type {
	case "signadot/env":
		c.patchList(p, "env", at)
	case "signadot/image":
		c.patchList(p, "images", at)
	default: // strategic, merge or json
		patched, err := applyPatch(c.object, p.Type, p.Value)
		if err != nil {
			c.report(at.Key("value"), krm.Error, "patch %s", strings.Join(strings.Fields(err.Error()), " "))
			return
		}
		c.object = patched
	}
}

// patchList applies a patch of one of the newer types, whose value is undocumented: it must have the form of
// customizations.<key>.
func (c *customizer) patchList(p *v1alpha1.WorkloadPatch, key string, at krm.Path) {
	at = at.Key("value")
	var value yaml.Node
	if err := yaml.Unmarshal([]byte(p.Value), &value); err != nil {
		c.report(at, krm.Error, "patch must be JSON or YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		return
	}
	if len(value.Content) == 0 {
		return
	}
	if value.Content[0].Kind != yaml.SequenceNode {
		c.report(at, krm.Error, "patch of type %q must be a list as customizations.%s is", p.Type, key)
		return
	}
	var asked v1alpha1.Customizations
	wrapped := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{
		{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value.Content[0],
	}}
	for _, problem := range strictyaml.Into(wrapped, "", &asked) {
		c.report(at, krm.Severity(problem.Severity), "patch: %s %s", problem.Path, problem.Message)
	}
	if c.failed {
		return
	}
	c.customize(&asked, at)
}

// setImage sets the image of a container.
func (c *customizer) setImage(image *v1alpha1.ContainerImage, at krm.Path) {
	if container := c.container(image.Container, at); container != nil {
		container["image"] = image.Image
	}
}

// container returns the container or init container with a name, or without a name the first container, which is the
// Pod's main container (Sandbox spec, images). It returns nil and reports the name if there is no such container.
func (c *customizer) container(name string, at krm.Path) object {
	var names []string
	for _, container := range containers(c.object) {
		known := text(container, "name")
		if known == name || name == "" {
			return container
		}
		names = append(names, known)
	}
	at = at.Key("container")
	if len(names) == 0 {
		c.report(at, krm.Error, "must have a container to change: the workload has no containers")
	} else if nearest, _ := strictyaml.Nearest(name, names); nearest != "" {
		c.report(at, krm.Error, "container %q must be one of the workload's: did you mean %q?", name, nearest)
	} else {
		c.report(at, krm.Error, "container %q must be one of the workload's: %s", name, strings.Join(names, ", "))
	}
	return nil
}

// containers returns the containers of a workload's Pods, the main one first and init containers last.
func containers(o object) []object {
	spec := child(o, "spec", "template", "spec")
	return append(children(spec, "containers"), children(spec, "initContainers")...)
}
