package rules

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	packages "github.com/resource-plugins/krm-functions/stacks/api/v1"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

var packageDependency = rule{
	Rule: validate.Rule{
		ID: "package-dependency", Severity: krm.Error,
		Summary: "A dependency of a stack names exactly one of crd and package. One of a package names an image with apiVersion " +
			"and kind, or one of provider, configuration and function.",
		Why:     "It could not be found.",
		Sources: []string{stackTypes, packageSpec},
		Example: `spec.dependsOn[0]: {crd: "RedisCluster"}`,
	},
	record: func(r *validate.Rule, s *stackRecord) {
		for i, d := range s.app.DependsOn {
			at := krm.Path("spec.dependsOn").Index(i)
			if given(d.CRD, d.Package) != 1 {
				s.Report(r, at, "must have exactly one of crd and package")
				continue
			}
			s.Must(r, at.Key("crd"), "", checkDependencyCRD(d.CRD))
			if d.Package != "" {
				_, err := pack.ParseReference(d.Package)
				s.Must(r, at.Key("package"), "", wrong(err))
			}
		}
	},
	metadata: func(r *validate.Rule, m *packageMetadata) {
		for i, d := range m.spec.DependsOn {
			m.dependency(r, krm.Path("spec.dependsOn").Index(i), d)
		}
	},
}

func (m *packageMetadata) dependency(r *validate.Rule, at krm.Path, d packages.Dependency) {
	forms := []struct{ key, image string }{
		{"package", d.Package}, {"provider", d.Provider}, {"configuration", d.Configuration}, {"function", d.Function},
	}
	if given(d.Package, d.Provider, d.Configuration, d.Function) != 1 {
		m.Report(r, at, "must have exactly one of package, provider, configuration and function")
		return
	}
	if isTyped := d.APIVersion != "" && d.Kind != ""; isTyped != (d.Package != "") {
		m.Report(r, at, "must have apiVersion, kind and package together, or one of provider, configuration and function")
	}
	for _, form := range forms {
		if form.image == "" {
			continue
		}
		reference, err := pack.ParseReference(form.image)
		m.Must(r, at.Key(form.key), "", wrong(err))
		if err == nil && (reference.Selector != "" || reference.Digest != "") {
			m.Report(r, at.Key(form.key), "must be an image without tag and digest, not %q: the version has its own key",
				form.image)
		}
	}
}

// checkDependencyCRD checks PLURAL.GROUP/VERSION or *.GROUP/VERSION, whose version may be missing.
func checkDependencyCRD(text string) string {
	if text != "" && !strings.Contains(text, "/") {
		text += "/v1"
		return strings.ReplaceAll(checkCRDReference(text), "/v1\"", "\"")
	}
	return checkCRDReference(text)
}

var dependencyProvider = rule{
	Rule: validate.Rule{
		ID: "dependency-provider", Severity: krm.Warning,
		Summary: "The CRDs that a stack depends on are in packages of the list, if the list has requests and no catalog.",
		Why:     "A request for the stack cannot be resolved. It may be meant for other packages than these, so it is a warning.",
		Sources: []string{stacksDesign},
		Example: `spec.dependsOn[0].crd: "*.other.example.org/v1"`,
		Kinds:   []string{recordKind},
	},
	list: func(r *validate.Rule, d *documents) {
		if d.hasCatalogs || len(d.stackRequests) == 0 {
			return // a package may be checked alone
		}
		for _, s := range d.records {
			for i, needed := range s.app.DependsOn {
				crd, err := pack.ParseCRD(needed.CRD)
				owns := func(p *pack.Package) bool { return p.Owns(crd) }
				if err == nil && !slices.ContainsFunc(d.packages, owns) {
					s.Report(r, krm.Path("spec.dependsOn").Index(i).Key("crd"),
						"no package of the list has the CRD %q: add the package that has it, or a Catalog", needed.CRD)
				}
			}
		}
	},
}
