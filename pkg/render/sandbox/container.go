package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/tree"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// image sets the image of a container.
func (b *bench) image(image *v1alpha1.ContainerImage, at krm.Path) {
	b.container(image.Container, at, func(container *yaml.Node) *yaml.Node {
		return tree.With(container, "image", tree.Text(image.Image))
	})
}

// container changes a container: the one of a name, an init container too, or without a name the first one, which is the
// Pod's main container (Sandbox spec, images).
func (b *bench) container(name string, at krm.Path, change func(*yaml.Node) *yaml.Node) {
	var names []string
	for _, list := range []string{"containers", "initContainers"} {
		for i, container := range tree.List(b.workload, "spec", "template", "spec", list) {
			known := tree.String(container, "name")
			if names = append(names, known); known == name || name == "" {
				b.workload = tree.Update(b.workload, func(containers *yaml.Node) *yaml.Node {
					content := slices.Clone(containers.Content)
					content[i] = change(container)
					return tree.WithContent(containers, content)
				}, "spec", "template", "spec", list)
				return
			}
		}
	}
	b.report(at.Key("container"), krm.Error, "%s", noContainer(name, names))
}

func noContainer(name string, names []string) string {
	if len(names) == 0 {
		return "must have a container to change: the workload has none"
	}
	if nearest, _ := strictyaml.Nearest(name, names); nearest != "" {
		return fmt.Sprintf("container %q must be one of the workload's: did you mean %q?", name, nearest)
	}
	return fmt.Sprintf("container %q must be one of the workload's: %s", name, strings.Join(names, ", "))
}
