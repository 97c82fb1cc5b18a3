package pack

import (
	"cmp"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	stacksv1 "github.com/resource-plugins/krm-functions/stacks/api/v1"
	"github.com/resource-plugins/krm-functions/stacks/imageref"
	"github.com/resource-plugins/krm-functions/stacks/registry"
)

// dependencies returns the dependencies of a document of meta.pkg.crossplane.io, in either form.
func dependencies(spec *yaml.Node) []Dependency {
	var all []Dependency
	for i, entry := range registry.Elements(spec, "dependsOn") {
		d := Dependency{
			Package: registry.Text(entry, "package"), Kind: registry.Text(entry, "kind"), Constraint: registry.Text(entry, "version"),
			Field: fmt.Sprintf("spec.dependsOn[%d]", i),
		}
		for _, older := range []struct{ key, kind string }{
			{"provider", stacksv1.KindProvider},
			{"configuration", stacksv1.KindConfiguration},
			{"function", stacksv1.KindFunction},
		} {
			if name := registry.Text(entry, older.key); d.Package == "" && name != "" {
				d.Package, d.Kind = name, older.kind
			}
		}
		if d.Package != "" {
			all = append(all, d)
		}
	}
	return all
}

// recordDependencies returns the dependencies of a Stack, StackDefinition or Extension. The Extension of the design names
// CRDs by their kinds; the plurals are guessed as Kubernetes does.
func recordDependencies(spec *yaml.Node) []Dependency {
	var all []Dependency
	for i, entry := range registry.Elements(spec, "dependsOn") {
		d := Dependency{CRD: registry.Text(entry, "crd"), Field: fmt.Sprintf("spec.dependsOn[%d]", i)}
		if d.CRD == "" {
			repository, version, digest := imageref.Split(registry.Text(entry, "package"))
			d.Package, d.Constraint = imageref.WithSource(registry.Text(entry, "source"), repository), cmp.Or(digest, version)
		}
		if d.CRD != "" || d.Package != "" {
			all = append(all, d)
		}
	}
	crds := krm.Value(spec, "customresourcedefinitions")
	for i, entry := range registry.Elements(crds, "dependsOn") {
		group, err := schema.ParseGroupVersion(registry.Text(entry, "apiVersion"))
		kind := registry.Text(entry, "kind")
		if err != nil || group.Group == "" || kind == "" {
			continue
		}
		plural, _ := meta.UnsafeGuessKindToResource(group.WithKind(kind))
		all = append(all, Dependency{
			CRD:   strings.TrimSuffix(plural.Resource+"."+group.Group+"/"+group.Version, "/"),
			Field: fmt.Sprintf("spec.customresourcedefinitions.dependsOn[%d]", i),
		})
	}
	return all
}
