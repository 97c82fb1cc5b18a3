package render

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// access describes the rights of helpers in one namespace.
type access struct {
	namespace string
	rules     []rbacv1.PolicyRule
}

// rbacName is the name of the objects that let helpers do their work. The words keep it apart from others of the resource's
// phase; the last is for people.
func (r *renderer) rbacName(words ...string) string {
	hash := contract.Hash(append([]string{"access", r.SandboxID, r.Resource, string(r.phase)}, words...)...)
	return contract.ObjectName(hash, r.Sandbox, r.Resource, words[len(words)-1])
}

// rbac returns a Role for each access, bound to the ServiceAccount, which comes with them if it is of the same name.
func (r *renderer) rbac(name, account string, m metadata, all ...access) (objects []object) {
	add := func(kind string, manifest Manifest) {
		objects = append(objects, object{Manifest: manifest, kind: kind, phase: r.phase})
	}
	if account == name {
		add(rbacv1.ServiceAccountKind, &corev1.ServiceAccount{
			TypeMeta: typeMeta("v1", rbacv1.ServiceAccountKind), ObjectMeta: m.of(r.namespace, name),
			AutomountServiceAccountToken: new(false),
		})
	}
	apiVersion := rbacv1.SchemeGroupVersion.String()
	for _, of := range all {
		add("Role", &rbacv1.Role{
			TypeMeta: typeMeta(apiVersion, "Role"), ObjectMeta: m.of(of.namespace, name), Rules: of.rules,
		})
		add("RoleBinding", &rbacv1.RoleBinding{
			TypeMeta: typeMeta(apiVersion, "RoleBinding"), ObjectMeta: m.of(of.namespace, name),
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: account, Namespace: r.namespace}},
		})
	}
	return objects
}

// stepAccount is the ServiceAccount of the steps with data flow: that of the overlay, or one for all of the phase.
func (r *renderer) stepAccount() string {
	if named := r.overlay.Account(); named != "" {
		return named
	}
	return r.rbacName(string(r.phase))
}

// stepAccess returns the access that the helpers of the phase's steps need: to watch the Secrets and Jobs of producers,
// and to write the Secrets of the steps. It is one Role for all steps, so a step's helper can write the Secrets of the
// others, too.
func (r *renderer) stepAccess() []object {
	var read, written, followed []string
	for _, ref := range r.order {
		s := r.steps[ref]
		if ref.Phase != r.phase || r.skips(s) || s.isOfForks() {
			continue
		}
		if s.publishes() {
			written = append(written, r.secretName(s))
		}
		for _, producer := range s.producers {
			read = append(read, r.secretName(producer))
			if job := r.jobs[producer.ref]; job != "" {
				followed = append(followed, job)
			}
		}
	}
	rules := slices.Concat(rule("secrets", "watch", read), rule("secrets", "patch", written), rule("jobs", "watch", followed))
	if len(r.spec.Workflow(r.phase)) > 0 {
		rules = append(rules, r.traits.PodRules...)
	}
	if len(rules) == 0 {
		return nil
	}
	m := r.objectMetadata(r.metadata(r.phase, nil))
	return r.rbac(r.rbacName(string(r.phase)), r.stepAccount(), m, access{r.namespace, rules})
}

// groups are the API groups of resources that are not in the core group.
var groups = map[string]string{"jobs": "batch", "poddisruptionbudgets": "policy"}

// rule allows a verb on the objects of a resource with those names. It returns no rule without names.
func rule(resource, verb string, names []string) []rbacv1.PolicyRule {
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return []rbacv1.PolicyRule{{
		APIGroups: []string{groups[resource]}, ResourceNames: slices.Compact(names),
		Resources: []string{resource}, Verbs: []string{verb},
	}}
}
