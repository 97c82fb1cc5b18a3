package validate

import (
	"fmt"

	"github.com/distribution/reference"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// imageReference is about spec.runner.image of plugins and the images of forks.
var imageReference = Rule{
	ID: "image-reference", Severity: krm.Error,
	Summary: "An image is a valid image reference.",
	Why:     "The Pod would stay in InvalidImageName.",
	sources: []string{pluginSpec, sandboxSpec, "https://kubernetes.io/docs/concepts/containers/images/#image-names"},
	Example: "spec.runner.image: Ubuntu latest",
	checks: []check{
		pluginCheck(func(r *Rule, p *plugin) { p.must(r, "spec.runner.image", "", checkImage(p.Spec.Runner.Image)) }),
		sandboxCheck(func(r *Rule, s *sandbox) {
			s.eachImage(func(path krm.Path, image string) { s.must(r, path, "", checkImage(image)) })
		}),
	},
}

// eachImage calls do for each image of the forks, with its path.
func (s *sandbox) eachImage(do func(path krm.Path, image string)) {
	for _, fork := range s.forks {
		for i, image := range fork.Customizations.Images {
			do(fork.path.Key("images").Index(i).Key("image"), image.Image)
		}
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

// sameImage reports whether two references name the same image: `ubuntu` is `docker.io/library/ubuntu:latest`.
func sameImage(a, b string) bool {
	one, err := reference.ParseNormalizedNamed(a)
	other, err2 := reference.ParseNormalizedNamed(b)
	if err != nil || err2 != nil {
		return a == b
	}
	return reference.TagNameOnly(one).String() == reference.TagNameOnly(other).String()
}
