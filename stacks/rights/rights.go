// Package rights checks the permissions that the controller of a Crossplane stack gets in a cluster. Crossplane derived them
// from the package, so that a package can ask for those of an administrator: with a CRD in a group of Kubernetes, or with a
// dependency. Check is the one rule for all commands:
//
//	list.Report(rights.Results(p, config.Rules)...)
package rights

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

// Rule is the id of the rule about rights. Its level can be changed for one package: RULE/NAME in the levels of rules.
const Rule = "package-rights"

// Finding is a right that a package must not ask for.
type Finding struct {
	// Field is a field of the package's metadata document, empty if the finding is about a CRD of the package.
	Field krm.Path
	// Dependency is the value of the field crd of a dependency.
	Dependency string
	// Message starts in lower case.
	Message string
}

const wildcard = "*"

// core are the resources of Kubernetes that every controller of a stack gets, as crossplane v0.10 gave them.
var core = []string{"configmaps", "events", "secrets"}

// IsKubernetes reports whether an API group is one of Kubernetes: the core group and others without a dot, and those that
// are protected for its community (https://github.com/kubernetes/enhancements/pull/1111).
func IsKubernetes(group string) bool {
	for _, domain := range []string{"k8s.io", "kubernetes.io"} {
		if group == domain || strings.HasSuffix(group, "."+domain) {
			return true
		}
	}
	return !strings.Contains(group, ".")
}

// Check returns the rights that the controller of a package must not get: on resources of Kubernetes, except for those that
// every controller gets; on all API groups; and on resources that the package neither owns nor depends on.
func Check(p *pack.Package) []Finding {
	var found []Finding
	for _, crd := range p.CRDs {
		name := crd.Plural + "." + crd.Group
		if IsKubernetes(crd.Group) || strings.Contains(name, wildcard) {
			found = append(found, Finding{Message: fmt.Sprintf(
				"CRD %q must be in an API group of the package's own: its controller would get rights on %s", name, of(crd.Group))})
		}
	}
	for _, d := range p.DependsOn {
		if d.CRD == "" {
			continue
		}
		if resource := resourceOf(d); IsKubernetes(resource.Group) || strings.Contains(resource.Group, wildcard) {
			found = append(found, Finding{Field: krm.Path(d.Field).Key("crd"), Dependency: d.CRD, Message: fmt.Sprintf(
				"must be a CRD of another package, not %q: the controller would get rights on %s", d.CRD, of(resource.Group))})
		}
	}
	rules, err := p.Rules()
	if err != nil {
		return append(found, Finding{Field: "spec.permissions", Message: "must be the permissions of a stack: " +
			strings.Join(strings.Fields(err.Error()), " ")})
	}
	for i := range rules {
		found = append(found, checkRule(p, &rules[i], krm.Path("spec.permissions.rules").Index(i))...)
	}
	return found
}

// of describes the resources of a group in messages.
func of(group string) string {
	switch {
	case strings.Contains(group, wildcard):
		return "all API groups"
	case group == "":
		return "resources of Kubernetes"
	}
	return fmt.Sprintf("resources of Kubernetes (%s)", group)
}

// checkRule checks a rule of the record.
func checkRule(p *pack.Package, rule *rbacv1.PolicyRule, at krm.Path) (found []Finding) {
	report := func(field krm.Path, format string, args ...any) {
		found = append(found, Finding{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	if len(rule.NonResourceURLs) > 0 {
		report(at.Key("nonResourceURLs"), "must not be set, to %q: a controller of a stack has rights on resources only",
			rule.NonResourceURLs[0])
	}
	for g, group := range rule.APIGroups {
		for r, resource := range rule.Resources {
			if isExpected(p, group, resource) {
				continue
			}
			switch {
			case strings.Contains(group, wildcard):
				report(at.Key("apiGroups").Index(g), "must be an API group, not %q: the controller would get rights on all", group)
			case IsKubernetes(group):
				report(at.Key("resources").Index(r), "must not be %q: the controller would get rights on %s", resource, of(group))
			default:
				report(at.Key("resources").Index(r), "must not be %q of %q: the package has no such CRD, and depends on none",
					resource, group)
			}
		}
	}
	return found
}

// isExpected reports whether a right is one that every controller gets, or follows from a CRD that the package owns or
// depends on. Problems with these are reported at the CRD and the dependency.
func isExpected(p *pack.Package, group, resource string) bool {
	if group == "" && slices.Contains(core, resource) {
		return true
	}
	plural, _, _ := strings.Cut(resource, "/")
	for _, crd := range p.CRDs {
		if crd.Group == group && crd.Plural == plural {
			return true
		}
	}
	for _, d := range p.DependsOn {
		if d.CRD == "" {
			continue
		}
		if needed := resourceOf(d); needed.Group == group && (needed.Resource == resource || needed.Resource == wildcard) {
			return true
		}
	}
	return len(p.CRDs) == 0 && plural != wildcard && !IsKubernetes(group) && slices.Contains(listed(p), group)
}

// listed are the groups of the CRDs that the record of a package lists: they need not be in the list of documents.
func listed(p *pack.Package) (groups []string) {
	for _, kind := range p.Listed() {
		groups = append(groups, kind.Group)
	}
	return groups
}

// resourceOf is the resource on which a dependency gives rights, as crossplane read it.
func resourceOf(d pack.Dependency) schema.GroupResource {
	name, _, _ := strings.Cut(d.CRD, "/")
	return schema.ParseGroupResource(name)
}

// Summary describes the rights that rules grant in the scope of a package, on one line.
func Summary(rules []rbacv1.PolicyRule, where string) string {
	byVerbs := map[string][]string{}
	var order []string
	for i := range rules {
		rule := &rules[i]
		verbs := strings.Join(rule.Verbs, ", ")
		if byVerbs[verbs] == nil {
			order = append(order, verbs)
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				plural, sub, isSub := strings.Cut(resource, "/")
				name := strings.TrimSuffix(plural+"."+group, ".")
				if isSub {
					name += "/" + sub
				}
				byVerbs[verbs] = append(byVerbs[verbs], name)
			}
		}
		byVerbs[verbs] = append(byVerbs[verbs], rule.NonResourceURLs...)
	}
	parts := make([]string, 0, len(order))
	for _, verbs := range order {
		parts = append(parts, verbs+" "+strings.Join(byVerbs[verbs], ", "))
	}
	return where + ": " + strings.Join(parts, "; ")
}
