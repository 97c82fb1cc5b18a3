package render

import (
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/manifest"
)

// grant is what a Pod's helpers may do with Secrets of one namespace.
type grant struct {
	namespace string
	rules     manifest.List
}

// accessName is the name of what lets the helpers of a Pod do their work. The facts keep it apart from other Pods' of the
// resource's phase; the last is for people.
func (r *rendering) accessName(facts ...string) string {
	hash := contract.Hash(append([]string{"access", r.SandboxID, r.Resource, string(r.phase)}, facts...)...)
	return contract.ObjectName(hash, r.Sandbox, r.Resource, facts[len(facts)-1])
}

// access adds a Role for each of the grants, and a ServiceAccount to bind them to unless one is given. It returns the name
// of the ServiceAccount that it added, if any.
func (r *rendering) access(name, account string, f facts, grants ...grant) string {
	own := ""
	if account == "" {
		account, own = name, name
		r.objects = append(r.objects, r.object(r.namespace, "v1", "ServiceAccount", name, f,
			manifest.KV("automountServiceAccountToken", manifest.Bool(false))))
	}
	const group = "rbac.authorization.k8s.io"
	for _, g := range grants {
		r.objects = append(r.objects,
			r.object(g.namespace, group+"/v1", "Role", name, f, manifest.KV("rules", g.rules)),
			r.object(g.namespace, group+"/v1", "RoleBinding", name, f,
				manifest.KV("roleRef", manifest.NewMap(
					manifest.KV("apiGroup", manifest.String(group)),
					manifest.KV("kind", manifest.String("Role")),
					manifest.KV("name", manifest.String(name)),
				)),
				manifest.KV("subjects", manifest.List{manifest.NewMap(
					manifest.KV("kind", manifest.String("ServiceAccount")),
					manifest.KV("name", manifest.String(account)),
					manifest.KV("namespace", manifest.String(r.namespace)),
				)}),
			))
	}
	return own
}

// stepGrant lets the helpers of a step watch its producers' Secrets and write its own.
func (r *rendering) stepGrant(s *step) grant {
	var rules manifest.List
	if len(s.producers) > 0 {
		names := make([]string, len(s.producers))
		for i, producer := range s.producers {
			names[i] = r.secretName(r.steps[producer.Step])
		}
		rules = append(rules, rule(names, "watch"))
	}
	if s.publishes() {
		rules = append(rules, rule([]string{r.secretName(s)}, "patch"))
	}
	return grant{r.namespace, rules}
}

func rule(secrets []string, verbs ...string) manifest.Map {
	return manifest.NewMap(
		manifest.KV("apiGroups", manifest.Strings("")),
		manifest.KV("resourceNames", manifest.Strings(secrets...)),
		manifest.KV("resources", manifest.Strings("secrets")),
		manifest.KV("verbs", manifest.Strings(verbs...)),
	)
}
