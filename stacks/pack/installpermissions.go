package pack

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	stacksv1 "github.com/resource-plugins/krm-functions/stacks/api/v1"
	stacks "github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
)

// Rules returns the permissions that the metadata document of a stack asks for; none for packages of today.
func (p *Package) Rules() ([]rbacv1.PolicyRule, error) {
	if strings.HasPrefix(p.APIVersion, stacksv1.MetaGroupName+"/") {
		return nil, nil
	}
	record, err := content(kyaml.NewRNode(p.Metadata.YNode()))
	if err != nil {
		return nil, err
	}
	return Rules(record)
}

// Listed returns the groups and kinds of the CRDs that the record of a stack lists as its own.
func (p *Package) Listed() (kinds []schema.GroupKind) {
	spec := krm.Value(p.Metadata.YNode(), "spec")
	own := elements(spec, "customresourcedefinitions")
	if own == nil {
		own = elements(krm.Value(spec, "customresourcedefinitions"), "owns")
	}
	for _, one := range own {
		group, _, _ := strings.Cut(text(one, "apiVersion"), "/")
		kinds = append(kinds, schema.GroupKind{Group: group, Kind: text(one, "kind")})
	}
	return kinds
}

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
