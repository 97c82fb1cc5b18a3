package pack

import (
	"fmt"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	stacksv1 "github.com/resource-plugins/krm-functions/stacks/api/v1"
	stacks "github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/registry"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// Install returns the result of registry.Install for unpacked objects, with the permissions of their record.
func Install(u *registry.Unpacked, settings *unpacking.Settings, namespace string) ([]*unstructured.Unstructured, error) {
	record, err := registry.ObjectOf(u.Record)
	if err != nil {
		return nil, err
	}
	permissions, err := rules(record)
	if err != nil {
		return nil, err
	}
	asked := &registry.Unpacked{CRDs: u.CRDs, Record: u.Record, Rules: permissions}
	installed, err := registry.Install(asked, settings, namespace)
	if err != nil {
		return nil, err
	}
	objects := make([]*unstructured.Unstructured, len(installed))
	for n, object := range installed {
		objects[n] = &unstructured.Unstructured{Object: object}
	}
	return objects, nil
}

// Rules returns the permissions that the metadata document of a stack requests, and nil for today's packages.
func (p *Package) Rules() ([]rbacv1.PolicyRule, error) {
	if strings.HasPrefix(p.APIVersion, stacksv1.MetaGroupName+"/") {
		return nil, nil
	}
	record, err := registry.ObjectOf(p.Metadata.YNode())
	if err != nil {
		return nil, err
	}
	asked, err := rules(record)
	if err != nil {
		return nil, err
	}
	all := make([]rbacv1.PolicyRule, len(asked))
	for i, rule := range asked {
		all[i] = rbacv1.PolicyRule(rule)
	}
	return all, nil
}

// rules returns the permissions that the record of a package requests.
func rules(record registry.Object) ([]stacks.PolicyRule, error) {
	permissions, _, err := unstructured.NestedMap(record, "spec", "permissions")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", record.Text("kind"), err)
	}
	var spec stacks.PermissionsSpec
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(permissions, &spec); err != nil {
		return nil, fmt.Errorf("spec.permissions of %s: %w", record.Text("kind"), err)
	}
	return spec.Rules, nil
}

// Listed returns the groups and kinds of the CRDs that the record of a stack lists as its own.
func (p *Package) Listed() (kinds []schema.GroupKind) {
	spec := krm.Value(p.Metadata.YNode(), "spec")
	own := registry.Elements(spec, "customresourcedefinitions")
	if own == nil {
		own = registry.Elements(krm.Value(spec, "customresourcedefinitions"), "owns")
	}
	for _, one := range own {
		group, _, _ := strings.Cut(registry.Text(one, "apiVersion"), "/")
		kinds = append(kinds, schema.GroupKind{Group: group, Kind: registry.Text(one, "kind")})
	}
	return kinds
}
