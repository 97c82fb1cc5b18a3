package install

import (
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/rights"
)

// checkRights reports rights that the controller of a package must not get. It reports whether the package can be installed.
func (r *renderer) checkRights(i *installation) bool {
	results := rights.Results(i.chosen.Content, r.options.Rules)
	for _, found := range results {
		at := ""
		if found.Field != nil && found.Field.Path != "" {
			at = found.Field.Path + ": "
		}
		r.list.Report(krm.At(i.of.item, fieldOf(i.of), found.Severity,
			fmt.Sprintf("package %q: %s%s", i.chosen.Image(), at, found.Message)))
	}
	return !results.Failed()
}

// reportRights reports the permissions of the controller. With install: job, the manager creates the controller's role in
// the cluster, and the rendered objects do not include it.
func (r *renderer) reportRights(i *installation, objects []*unstructured.Unstructured) {
	for _, object := range objects {
		var role rbacv1.ClusterRole
		where := "in namespace " + i.of.namespace
		switch object.GetKind() {
		case "ClusterRole":
			where = "in all namespaces"
		case "Role":
		default:
			continue
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &role); err == nil {
			r.list.Report(krm.At(i.of.item, fieldOf(i.of), krm.Info, fmt.Sprintf("the controller of package %q gets %s",
				i.chosen.Image(), rights.Summary(role.Rules, where))))
		}
	}
}

// warnOfRights warns of the rights of packages in the list. Crossplane v0.10 grants all of them.
func (r *renderer) warnOfRights() {
	for _, p := range pack.Find(r.list) {
		for _, found := range rights.Results(p, map[string]string{rights.Rule: string(krm.Warning)}) {
			r.list.Report(found)
		}
	}
}
