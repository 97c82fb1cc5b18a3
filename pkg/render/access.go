package render

import (
	"github.com/resource-plugins/krm-functions/pkg/manifest"
	"github.com/resource-plugins/krm-functions/pkg/naming"
)

// access adds what lets the helpers of a step watch its producers' Secrets and write its own, and nothing else. It
// returns the name of the ServiceAccount, empty where the overlay names one: then the Role is bound to that.
func (r *rendering) access(s *step, f facts) string {
	name := naming.Object(naming.Hash("access", r.SandboxID, r.Resource, string(r.phase), s.spec.Name),
		r.Sandbox, r.Resource, s.spec.Name)
	bound, own := account(s.template.Map("spec")), ""
	if bound == "" {
		bound, own = name, name
		r.objects = append(r.objects, r.object("v1", "ServiceAccount", name, f.labels, f.annotations,
			manifest.KV("automountServiceAccountToken", manifest.Bool(false))))
	}
	const group = "rbac.authorization.k8s.io"
	r.objects = append(r.objects,
		r.object(group+"/v1", "Role", name, f.labels, f.annotations, manifest.KV("rules", r.rules(s))),
		r.object(group+"/v1", "RoleBinding", name, f.labels, f.annotations,
			manifest.KV("roleRef", manifest.NewMap(
				manifest.KV("apiGroup", manifest.String(group)),
				manifest.KV("kind", manifest.String("Role")),
				manifest.KV("name", manifest.String(name)),
			)),
			manifest.KV("subjects", manifest.List{manifest.NewMap(
				manifest.KV("kind", manifest.String("ServiceAccount")),
				manifest.KV("name", manifest.String(bound)),
				manifest.KV("namespace", manifest.String(r.namespace)),
			)}),
		))
	return own
}

func (r *rendering) rules(s *step) manifest.List {
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
	return rules
}

func rule(secrets []string, verbs ...string) manifest.Map {
	return manifest.NewMap(
		manifest.KV("apiGroups", manifest.Strings("")),
		manifest.KV("resourceNames", manifest.Strings(secrets...)),
		manifest.KV("resources", manifest.Strings("secrets")),
		manifest.KV("verbs", manifest.Strings(verbs...)),
	)
}
