package registry

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm/field"
	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
)

// verbs are all verbs for working with objects. Crossplane granted `*`, which also includes verbs that no controller of a
// package needs: bind, escalate, impersonate, approve and sign.
var verbs = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}

// rules returns the permissions of the controller as crossplane granted them, but with explicit verbs:
//
//   - ConfigMaps, Events and Secrets, which every controller uses;
//   - the resources of each CRD of the package: status and scale if the CRD has them, and finalizers, which a controller
//     must be allowed to update if its objects own others;
//   - the resources of each CRD that the package depends on. `*.GROUP` requests all resources of a group: this is the only
//     wildcard, since the package does not name these resources.
func (r *Package) rules() []v1alpha1.PolicyRule {
	rules := []v1alpha1.PolicyRule{rule("", "configmaps", "events", "secrets")}
	for _, crd := range r.inOrder() {
		rules = append(rules, rule(crd.group, crd.resources()...))
	}
	for _, dependency := range r.app.DependsOn {
		if dependency.CRD != "" {
			name, _, _ := strings.Cut(dependency.CRD, "/")
			plural, group, _ := strings.Cut(name, ".")
			rules = append(rules, rule(group, plural))
		}
	}
	return rules
}

func rule(group string, resources ...string) v1alpha1.PolicyRule {
	return v1alpha1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs}
}

// resources returns the RBAC resources of a CRD, including the subresources that only some of its versions have.
func (c *crd) resources() []string {
	resources := []string{c.plural}
	spec := field.Value(c.document.root, "spec")
	holders := append([]*yaml.Node{spec}, Elements(spec, "versions")...)
	for _, name := range []string{"status", "scale"} {
		if slices.ContainsFunc(holders, func(holder *yaml.Node) bool {
			sub := field.Value(field.Value(holder, "subresources"), name)
			return sub != nil && sub.ShortTag() != "!!null"
		}) {
			resources = append(resources, c.plural+"/"+name)
		}
	}
	return append(resources, c.plural+"/finalizers")
}
