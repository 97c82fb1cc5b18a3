package rules

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	"github.com/resource-plugins/krm-functions/stacks/rights"
)

var packagePermission = rule{
	Rule: validate.Rule{
		ID: "package-permission", Severity: krm.Error,
		Summary: "A rule of a stack's permissions has verbs, and either API groups with resources or URLs.",
		Why:     "The cluster refuses the role.",
		Sources: []string{stackTypes, "https://kubernetes.io/docs/reference/access-authn-authz/rbac/"},
		Example: "spec.permissions.rules[0]: {apiGroups: [cache.example.org], resources: [redisclusters]}",
	},
	record: func(r *validate.Rule, s *stackRecord) {
		for i, p := range s.rules.Rules {
			at := krm.Path("spec.permissions.rules").Index(i)
			if len(p.Verbs) == 0 {
				s.Report(r, at, "must have verbs")
			}
			onResources := len(p.APIGroups) > 0 && len(p.Resources) > 0
			if onURLs := len(p.NonResourceURLs) > 0; onURLs == onResources {
				s.Report(r, at, "must have either apiGroups and resources or nonResourceURLs")
			}
		}
	},
}

var packageRights = rule{
	Rule: validate.Rule{
		ID: rights.Rule, Severity: krm.Error,
		Summary: "The controller of a package gets rights on the resources of its CRDs, on those of the CRDs that it depends " +
			"on, and on ConfigMaps, Events and Secrets. It gets none on other resources of Kubernetes, and none on all API groups.",
		Why: "Crossplane derived the rights of a controller from the package: a CRD clusterroles.rbac.authorization.k8s.io, " +
			"which an API server accepts, made it an administrator. If you trust a package, set the level only for it: " +
			"--rules package-rights/NAME=warning.",
		Sources: []string{stacksDesign, "https://kubernetes.io/docs/reference/access-authn-authz/rbac/"},
		Example: `spec.permissions.rules[0].apiGroups: ["*"]`,
		Kinds:   []string{recordKind, crdKind},
	},
	list: func(r *validate.Rule, d *documents) {
		for _, p := range d.packages {
			c := d.of(p.Metadata)
			if c == nil {
				continue
			}
			c.LevelName = p.Name
			unlisted := func(kind schema.GroupKind) bool { return kind.Group == "" }
			if c.Unsure("spec.customresourcedefinitions") || slices.ContainsFunc(p.Listed(), unlisted) {
				continue // already an error: the package's CRDs are not known
			}
			for _, f := range rights.Check(p) {
				if f.Dependency == "" || checkDependencyCRD(f.Dependency) == "" { // otherwise package-dependency reports it
					c.Report(r, f.Field, "%s", f.Message)
				}
			}
		}
	},
}
