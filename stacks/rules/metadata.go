package rules

import (
	"fmt"

	"github.com/Masterminds/semver/v3"
	"github.com/opencontainers/go-digest"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

var dependencyVersion = rule{
	Rule: validate.Rule{
		ID: "dependency-version", Severity: krm.Error,
		Summary: "The version of a dependency, and of Crossplane, is a version range; that of a dependency may be a digest.",
		Why:     "Crossplane refuses the package.",
		Sources: []string{packageSpec, "https://github.com/Masterminds/semver#checking-version-constraints"},
		Example: "spec.crossplane.version: newest",
	},
	metadata: func(r *validate.Rule, m *packageMetadata) {
		if c := m.spec.Crossplane; c != nil {
			m.Must(r, "spec.crossplane.version", "", checkRange(c.Version))
		}
		for i, d := range m.spec.DependsOn {
			if _, err := digest.Parse(d.Version); err != nil {
				m.Must(r, krm.Path("spec.dependsOn").Index(i).Key("version"), "", checkRange(d.Version))
			}
		}
	},
}

func checkRange(text string) string {
	if text == "" {
		return ""
	}
	if _, err := semver.NewConstraint(text); err != nil {
		return fmt.Sprintf("must be a version range such as `>=1.2 <2`, not %q", text)
	}
	return ""
}
