package validate

import (
	"fmt"

	"github.com/distribution/reference"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// imageReference: ResourcePlugin spec, spec.runner.image, and Sandbox spec, images: a valid docker reference.
var imageReference = Rule{
	ID: "image-reference", Severity: krm.Error,
	Demand:  "An image is a valid reference, as the container registries' specification has it.",
	Why:     "The Pod would stay in InvalidImageName.",
	Example: "spec.runner.image: Ubuntu latest",
	plugin: func(c *pluginCheck) {
		c.image("spec.runner.image", c.Spec.Runner.Image)
	},
	sandbox: func(c *sandboxCheck) {
		for i, fork := range c.Spec.Forks {
			if fork.Customizations == nil {
				continue
			}
			for n, image := range fork.Customizations.Images {
				c.image(imagePath(i, n).Key("image"), image.Image)
			}
		}
	},
}

func (c *check) image(path krm.Path, image string) {
	if wrong := checkImage(image); wrong != "" {
		c.report(path, "%s", wrong)
	}
}

func checkImage(image string) string {
	if image == "" {
		return ""
	}
	if _, err := reference.ParseNormalizedNamed(image); err != nil {
		return fmt.Sprintf("must be a valid image reference, not %q: %v", image, err)
	}
	return ""
}

// sameImage tells whether two references name the same image: `ubuntu` is `docker.io/library/ubuntu:latest`.
func sameImage(a, b string) bool {
	one, err := reference.ParseNormalizedNamed(a)
	other, err2 := reference.ParseNormalizedNamed(b)
	if err != nil || err2 != nil {
		return a == b
	}
	return reference.TagNameOnly(one).String() == reference.TagNameOnly(other).String()
}
