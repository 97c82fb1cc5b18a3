package install

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// access holds the permissions of a Job in the cluster and in its namespace.
type access struct {
	cluster, namespaced []rbacv1.PolicyRule
}

// grant allows verbs on objects by their names. The names limit create, too: the manager creates objects by server-side
// apply, whose requests name them, so that the API server knows the name when it authorizes the creation
// (https://github.com/kubernetes/apiserver/blob/v0.34.3/pkg/endpoints/handlers/patch.go#L203). A rule that allows the
// creation of a role also allows bind and escalate, since the controller has permissions that the Job does not have
// (https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping).
func grant(objects []unpacking.Object, verbs ...string) *access {
	a := &access{}
	for _, object := range objects {
		group := groupOf(object.APIVersion)
		rules := &a.cluster
		if object.IsNamespaced {
			rules = &a.namespaced
		}
		own := slices.Clone(verbs)
		switch creates := slices.Contains(verbs, "create"); {
		case creates && (object.Kind == "Role" || object.Kind == "ClusterRole"):
			own = append(own, "bind", "escalate")
		case creates && object.Kind == crd:
			own = append(own, "watch") // until it is established
		}
		addRule(rules, group, object.Resource, object.Name, own)
	}
	return a
}

// watch lets the Job wait for CRDs.
func (a *access) watch(crds []string) {
	for _, name := range crds {
		addRule(&a.cluster, "apiextensions.k8s.io", plurals[crd], name, []string{"watch"})
	}
}

// list lets the Job list custom resources. This cannot be limited by name.
func (a *access) list(resources []unpacking.CustomResource) {
	for _, one := range resources {
		a.cluster = append(a.cluster, rbacv1.PolicyRule{
			APIGroups: []string{one.Group}, Resources: []string{one.Plural}, Verbs: []string{"list"},
		})
	}
}

// addRule adds a name to the rule for a resource and verbs.
func addRule(rules *[]rbacv1.PolicyRule, group, resource, name string, verbs []string) {
	verbs = slices.Sorted(slices.Values(verbs))
	for i := range *rules {
		rule := &(*rules)[i]
		if rule.APIGroups[0] == group && rule.Resources[0] == resource && slices.Equal(rule.Verbs, verbs) {
			if at, has := slices.BinarySearch(rule.ResourceNames, name); !has {
				rule.ResourceNames = slices.Insert(rule.ResourceNames, at, name)
			}
			return
		}
	}
	*rules = append(*rules, rbacv1.PolicyRule{
		APIGroups: []string{group}, Resources: []string{resource}, ResourceNames: []string{name}, Verbs: verbs,
	})
}

// access adds the ServiceAccount of a Job with its roles.
func (r *renderer) access(of *request, phase v1alpha1.Phase, isHeld bool, name, image string, a *access) {
	meta := func(namespace string) metav1.ObjectMeta {
		return metav1.ObjectMeta{
			Name: name, Namespace: namespace, Labels: labels(of),
			Annotations: map[string]string{contract.PackageKey: image},
		}
	}
	r.put(of, phase, isHeld, &corev1.ServiceAccount{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: rbacv1.ServiceAccountKind}, ObjectMeta: meta(of.namespace),
		AutomountServiceAccountToken: new(false),
	})
	apiVersion := rbacv1.SchemeGroupVersion.String()
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: of.namespace}}
	if len(a.cluster) > 0 {
		r.put(of, phase, isHeld, &rbacv1.ClusterRole{
			TypeMeta: metav1.TypeMeta{APIVersion: apiVersion, Kind: "ClusterRole"}, ObjectMeta: meta(""), Rules: a.cluster,
		})
		r.put(of, phase, isHeld, &rbacv1.ClusterRoleBinding{
			TypeMeta: metav1.TypeMeta{APIVersion: apiVersion, Kind: "ClusterRoleBinding"}, ObjectMeta: meta(""),
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}, Subjects: subjects,
		})
	}
	if len(a.namespaced) > 0 {
		r.put(of, phase, isHeld, &rbacv1.Role{
			TypeMeta: metav1.TypeMeta{APIVersion: apiVersion, Kind: "Role"}, ObjectMeta: meta(of.namespace), Rules: a.namespaced,
		})
		r.put(of, phase, isHeld, &rbacv1.RoleBinding{
			TypeMeta: metav1.TypeMeta{APIVersion: apiVersion, Kind: "RoleBinding"}, ObjectMeta: meta(of.namespace),
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name}, Subjects: subjects,
		})
	}
}

// groupOf returns the API group of an apiVersion, empty for v1.
func groupOf(apiVersion string) string {
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return group
}
