package pack

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// verbs are all that a controller can do with objects. Crossplane gave `*`, which also has what no controller of a package
// needs: to bind, escalate, impersonate, approve and sign.
var verbs = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}

// rules returns the permissions of the controller, as crossplane gave them, with verbs named:
//
//   - ConfigMaps, Events and Secrets, which each controller works with;
//   - the resources of each CRD of the package: status and scale if the CRD has them, and finalizers, which a controller
//     must be allowed to update if its objects own others;
//   - the resources of each CRD that the package depends on. `*.GROUP` asks for all resources of a group: this is the one
//     wildcard, since the package does not say which ones they are.
func (r *registry) rules() []rbacv1.PolicyRule {
	rules := []rbacv1.PolicyRule{rule("", "configmaps", "events", "secrets")}
	for _, crd := range r.inOrder() {
		rules = append(rules, rule(crd.Group, crd.resources()...))
	}
	for _, dependency := range r.app.DependsOn {
		if dependency.CRD != "" {
			name, _, _ := strings.Cut(dependency.CRD, "/")
			resource := schema.ParseGroupResource(name)
			rules = append(rules, rule(resource.Group, resource.Resource))
		}
	}
	return rules
}

func rule(group string, resources ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs}
}

// resources are what RBAC calls the resources of a CRD. One of its versions may have subresources that others lack.
func (c *registryCRD) resources() []string {
	resources := []string{c.Plural}
	spec := krm.Value(c.item.YNode(), "spec")
	holders := append([]*yaml.Node{spec}, elements(spec, "versions")...)
	for _, name := range []string{"status", "scale"} {
		if slices.ContainsFunc(holders, func(holder *yaml.Node) bool {
			sub := krm.Value(krm.Value(holder, "subresources"), name)
			return sub != nil && sub.ShortTag() != "!!null"
		}) {
			resources = append(resources, c.Plural+"/"+name)
		}
	}
	return append(resources, c.Plural+"/finalizers")
}

// addTexts adds entries to a mapping of strings, which it makes if there is none.
func addTexts(parent *yaml.Node, key string, entries map[string]string) {
	texts := krm.Value(parent, key)
	if texts == nil || texts.Kind != yaml.MappingNode {
		texts = mapping()
		set(parent, key, texts)
	}
	for i := 1; i < len(texts.Content); i += 2 {
		if value := texts.Content[i]; value.Kind == yaml.ScalarNode && value.ShortTag() != "!!str" {
			texts.Content[i] = scalar(value.Value) // as crossplane read it, and a cluster does not
		}
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		set(texts, name, scalar(entries[name]))
	}
}

// remove removes a key of a mapping.
func remove(mapping *yaml.Node, key string) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content = slices.Delete(mapping.Content, i, i+2)
			return
		}
	}
}
