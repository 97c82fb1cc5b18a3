package render

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// secretRules are what a Pod's helpers may do with Secrets of one namespace.
type secretRules struct {
	namespace string
	rules     []rbacv1.PolicyRule
}

// rbacName is the name of the objects that let the helpers of a Pod do their work. The words keep it apart from other Pods'
// of the resource's phase; the last is for people.
func (r *renderer) rbacName(words ...string) string {
	hash := contract.Hash(append([]string{"access", r.SandboxID, r.Resource, string(r.phase)}, words...)...)
	return contract.ObjectName(hash, r.Sandbox, r.Resource, words[len(words)-1])
}

// rbac adds a Role for each of the rules, and a ServiceAccount to bind them to unless one is given. It returns the name of
// the ServiceAccount that it added, if any.
func (r *renderer) rbac(name, account string, m metadata, all ...secretRules) string {
	own := ""
	if account == "" {
		account, own = name, name
		r.add(rbacv1.ServiceAccountKind, &corev1.ServiceAccount{
			TypeMeta: typeMeta("v1", rbacv1.ServiceAccountKind), ObjectMeta: m.of(r.namespace, name),
			AutomountServiceAccountToken: new(false),
		})
	}
	apiVersion := rbacv1.SchemeGroupVersion.String()
	for _, of := range all {
		r.add("Role", &rbacv1.Role{
			TypeMeta: typeMeta(apiVersion, "Role"), ObjectMeta: m.of(of.namespace, name), Rules: of.rules,
		})
		r.add("RoleBinding", &rbacv1.RoleBinding{
			TypeMeta: typeMeta(apiVersion, "RoleBinding"), ObjectMeta: m.of(of.namespace, name),
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: account, Namespace: r.namespace}},
		})
	}
	return own
}

// stepRules let the helpers of a step watch its producers' Secrets and write its own.
func (r *renderer) stepRules(s *step) secretRules {
	of := secretRules{namespace: r.namespace}
	if len(s.producers) > 0 {
		of.rules = append(of.rules, rule(r.secretNames(s.producers), "watch"))
	}
	if s.publishes() {
		of.rules = append(of.rules, rule([]string{r.secretName(s)}, "patch"))
	}
	return of
}

func rule(secrets []string, verb string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{
		APIGroups: []string{""}, ResourceNames: secrets, Resources: []string{"secrets"}, Verbs: []string{verb},
	}
}
