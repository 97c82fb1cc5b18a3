package registry

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm/field"
	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
)

// The group and kind of CRDs.
const (
	CRDGroup = "apiextensions.k8s.io"
	CRDKind  = "CustomResourceDefinition"
)

// NamespacedScope is the scope of a CRD whose objects are in namespaces.
const NamespacedScope = "Namespaced"

// crd is a CRD of a `.registry` folder.
type crd struct {
	group, kind, plural, scope string

	file     string
	document *document
	version  string // in the record: the storage version
}

// crdVersions are the supported versions of CustomResourceDefinition.
var crdVersions = []string{"v1", "v1beta1"}

func (r *Package) readCRD(file string, content []byte) {
	d := r.document(file, content)
	if d == nil {
		if !r.hasErrors(file) {
			r.report(file, strictyaml.SeverityError, "must be a "+CRDKind+", not empty: remove the file")
		}
		return
	}
	group, version, _ := strings.Cut(d.apiVersion(), "/")
	if d.kind() != CRDKind || group != CRDGroup || version != crdVersions[0] && version != crdVersions[1] {
		r.problems(d, []strictyaml.Problem{strictyaml.Error("kind", "must be %s of %s/{%s}, not %q of %q", CRDKind, CRDGroup,
			strings.Join(crdVersions, ","), d.kind(), d.apiVersion())})
		return
	}
	if r.mismatch(d, CRDKind, content) {
		return
	}
	spec := field.Value(d.root, "spec")
	names := field.Value(spec, "names")
	one := &crd{file: file, document: d, version: storageVersion(spec)}
	var missing []strictyaml.Problem
	for _, required := range []struct {
		in        *yaml.Node
		path, key string
		value     *string
	}{
		{spec, "spec", "group", &one.group},
		{names, "spec.names", "kind", &one.kind},
		{names, "spec.names", "plural", &one.plural},
	} {
		if *required.value = Text(required.in, required.key); *required.value == "" {
			missing = append(missing, strictyaml.Error(field.Path(required.path).Key(required.key), "must be set"))
		}
	}
	if one.version == "" {
		missing = append(missing, strictyaml.Error("spec.versions", "must name a version"))
	}
	if one.scope = Text(spec, "scope"); one.scope == "" {
		one.scope = NamespacedScope
	}
	if r.problems(d, missing); len(missing) == 0 && !r.isRepeated(one) {
		r.crds = append(r.crds, one)
	}
}

// isRepeated reports whether another file has the same CRD, which is an error.
func (r *Package) isRepeated(crd *crd) bool {
	for _, other := range r.crds {
		if other.group == crd.group && strings.EqualFold(other.plural, crd.plural) {
			r.problems(crd.document, []strictyaml.Problem{strictyaml.Error("spec.names.plural",
				"must be the only CRD %s.%s: remove this file or %q", crd.plural, crd.group, r.shown(other.file))})
			return true
		}
	}
	return false
}

// storageVersion returns spec.version of the older form, or else the stored version, or else the first one.
func storageVersion(spec *yaml.Node) string {
	if version := Text(spec, "version"); version != "" {
		return version
	}
	versions := Elements(spec, "versions")
	for _, version := range versions {
		if Text(version, "storage") == "true" {
			return Text(version, "name")
		}
	}
	if len(versions) > 0 {
		return Text(versions[0], "name")
	}
	return ""
}

// checkScopes checks that a namespaced package owns no cluster-scoped CRD.
func (r *Package) checkScopes() {
	for _, crd := range r.crds {
		if r.app.PermissionScope == v1alpha1.ScopeNamespaced && crd.scope != NamespacedScope {
			r.problems(crd.document, []strictyaml.Problem{strictyaml.Error("spec.scope",
				"must be %s, not %q, since permissionScope of %s is %s", NamespacedScope, crd.scope, r.shown(r.once[appFile]),
				v1alpha1.ScopeNamespaced)})
		}
	}
}
