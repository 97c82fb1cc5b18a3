package pack

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	v0 "github.com/resource-plugins/krm-functions/stacks/api/v0"
	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
)

// registryCRD is a CRD of a `.registry` folder.
type registryCRD struct {
	CRD
	file    string
	item    *krm.Item
	version string // of the record: the storage version
}

// crdVersions are the versions of CustomResourceDefinition.
var crdVersions = []string{"v1", "v1beta1"}

func (r *registry) readCRD(file string, content []byte) {
	item := r.document(file, content)
	if item == nil {
		if !r.hasErrors(file) {
			r.report(file, krm.Error, "must be a "+crdKind+", not empty: remove the file")
		}
		return
	}
	group, version, _ := strings.Cut(item.APIVersion(), "/")
	if item.Kind() != crdKind || group != crdGroup || version != crdVersions[0] && version != crdVersions[1] {
		r.problems(item, []strictyaml.Problem{strictyaml.Error("kind", "must be %s of %s/{%s}, not %q of %q", crdKind, crdGroup,
			strings.Join(crdVersions, ","), item.Kind(), item.APIVersion())})
		return
	}
	if r.mismatch(item, v0.CheckCRD(content)) {
		return
	}
	spec := krm.Value(item.YNode(), "spec")
	names := krm.Value(spec, "names")
	one := &registryCRD{file: file, item: item, version: storageVersion(spec)}
	var missing []strictyaml.Problem
	for _, required := range []struct {
		in        *yaml.Node
		path, key string
		value     *string
	}{
		{spec, "spec", "group", &one.Group},
		{names, "spec.names", "kind", &one.Kind},
		{names, "spec.names", "plural", &one.Plural},
	} {
		if *required.value = text(required.in, required.key); *required.value == "" {
			missing = append(missing, strictyaml.Error(krm.Path(required.path).Key(required.key), "must be set"))
		}
	}
	if one.version == "" {
		missing = append(missing, strictyaml.Error("spec.versions", "must name a version"))
	}
	if one.Scope = text(spec, "scope"); one.Scope == "" {
		one.Scope = namespacedScoped
	}
	if r.problems(item, missing); len(missing) == 0 && !r.isRepeated(one) {
		r.crds = append(r.crds, one)
	}
}

func (r *registry) hasErrors(file string) bool {
	for _, result := range r.results {
		if result.Place.File == r.shown(file) && result.Severity == krm.Error {
			return true
		}
	}
	return false
}

// isRepeated reports whether another file has the same CRD, which is an error.
func (r *registry) isRepeated(crd *registryCRD) bool {
	for _, other := range r.crds {
		if other.Group == crd.Group && strings.EqualFold(other.Plural, crd.Plural) {
			r.problems(crd.item, []strictyaml.Problem{strictyaml.Error("spec.names.plural",
				"must be the only CRD %s.%s: remove this file or %q", crd.Plural, crd.Group, r.shown(other.file))})
			return true
		}
	}
	return false
}

// storageVersion is spec.version of the older form, else the version that is stored, else the first one.
func storageVersion(spec *yaml.Node) string {
	if version := text(spec, "version"); version != "" {
		return version
	}
	versions := elements(spec, "versions")
	for _, version := range versions {
		if text(version, "storage") == "true" {
			return text(version, "name")
		}
	}
	if len(versions) > 0 {
		return text(versions[0], "name")
	}
	return ""
}

// checkScopes checks that a namespaced package owns no CRD of the cluster's scope.
func (r *registry) checkScopes() {
	for _, crd := range r.crds {
		if r.app.PermissionScope == v1alpha1.ScopeNamespaced && crd.Scope != namespacedScoped {
			r.problems(crd.item, []strictyaml.Problem{strictyaml.Error("spec.scope",
				"must be %s, not %q, since permissionScope of %s is %s", namespacedScoped, crd.Scope, r.shown(r.once[appFile]),
				v1alpha1.ScopeNamespaced)})
		}
	}
}
