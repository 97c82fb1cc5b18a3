package registry

import (
	"encoding/json"
	"slices"

	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
)

const wildcard = "*"

// narrow returns rules without unnecessary wildcards: the verb * becomes all verbs, and the resource * of a single API
// group becomes the resources of the group with their subresources, as far as they are known.
func narrow(rules []v1alpha1.PolicyRule, resources map[string][]string) []v1alpha1.PolicyRule {
	narrowed := make([]v1alpha1.PolicyRule, len(rules))
	for i, rule := range rules {
		if slices.Contains(rule.Verbs, wildcard) && !slices.Contains(rule.APIGroups, wildcard) && len(rule.APIGroups) > 0 {
			rule.Verbs = verbs
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

// plain returns rules as the value of a field in an Object.
func plain(rules []v1alpha1.PolicyRule) any {
	text, err := json.Marshal(rules)
	if err != nil {
		panic(err) // strings can be marshalled
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		panic(err) // it is JSON
	}
	return tree
}
