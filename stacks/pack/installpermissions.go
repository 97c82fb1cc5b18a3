package pack

import (
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	stacks "github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
)

// Rules returns the permissions that the record of a package asks for.
func Rules(record *unstructured.Unstructured) ([]rbacv1.PolicyRule, error) {
	permissions, _, err := unstructured.NestedMap(record.Object, "spec", "permissions")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", record.GetKind(), err)
	}
	var spec stacks.PermissionsSpec
	if err := convert(permissions, &spec); err != nil {
		return nil, fmt.Errorf("spec.permissions of %s: %w", record.GetKind(), err)
	}
	return spec.Rules, nil
}

// Narrow returns rules without the wildcards that need not be: * as a verb becomes all verbs, and * as a resource of one
// API group becomes those of the group, with their subresources, as far as they are known.
func Narrow(rules []rbacv1.PolicyRule, resources map[string][]string) []rbacv1.PolicyRule {
	narrowed := make([]rbacv1.PolicyRule, len(rules))
	for i := range rules {
		rule := *rules[i].DeepCopy()
		if slices.Contains(rule.Verbs, wildcard) && !slices.Contains(rule.APIGroups, wildcard) && len(rule.APIGroups) > 0 {
			rule.Verbs = slices.Clone(verbs)
		}
		if slices.Contains(rule.Resources, wildcard) && len(rule.APIGroups) == 1 && len(resources[rule.APIGroups[0]]) > 0 {
			rule.Resources = nil
			for _, plural := range resources[rule.APIGroups[0]] {
				rule.Resources = append(rule.Resources, plural, plural+"/status", plural+"/finalizers")
			}
		}
		narrowed[i] = rule
	}
	return narrowed
}
