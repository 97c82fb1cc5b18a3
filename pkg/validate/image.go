package validate

import (
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// imageReference is about spec.runner.image of plugins, and the images of forks and fixtures.
var imageReference = Rule{
	ID: "image-reference", Severity: krm.Error,
	Summary: "An image is a valid image reference.",
	Why:     "The Pod would stay in InvalidImageName.",
	Sources: []string{pluginSpec, sandboxSpec, "https://kubernetes.io/docs/concepts/containers/images/#image-names"},
	Example: "spec.runner.image: Ubuntu latest",
	checks: []check{
		pluginCheck(func(r *Rule, p *plugin) { p.Must(r, "spec.runner.image", "", document.CheckImage(p.Spec.Runner.Image)) }),
		sandboxCheck(func(r *Rule, s *sandbox) {
			s.eachImage(func(path krm.Path, reference string) { s.Must(r, path, "", document.CheckImage(reference)) })
		}),
		pluginTestCheck(func(r *Rule, t *pluginTest) {
			for i, fixture := range t.Spec.Fixtures {
				t.Must(r, fixturePath(i).Key("image"), "", document.CheckImage(fixture.Image))
			}
		}),
	},
}

// eachImage calls do for each image of the forks, with its path.
func (s *sandbox) eachImage(do func(path krm.Path, reference string)) {
	for _, fork := range s.forks {
		for i, one := range fork.Customizations.Images {
			do(fork.path.Key("images").Index(i).Key("image"), one.Image)
		}
	}
}
