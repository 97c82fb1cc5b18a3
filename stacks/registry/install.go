package registry

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// Install returns the objects that make an unpacked package run, in the order in which they must be applied: the CRDs; the
// controller's ServiceAccount, role and binding; the record; the controller's Deployment. The namespace is that of the
// request. A package without a controller has only CRDs and a record.
//
// The objects are those that the stack manager of crossplane v0.10 created, with these differences: names end in a hash, a
// Namespaced package gets a Role instead of a ClusterRole, and permissions have no wildcards that can be resolved from the
// API group or settings.Resources.
//
//   - https://github.com/crossplane/crossplane/blob/v0.10.0/pkg/controller/stacks/stack/stack.go
//   - https://github.com/crossplane/crossplane/blob/v0.10.0/pkg/controller/stacks/install/installjob.go
func Install(u *Unpacked, settings *unpacking.Settings, namespace string) ([]Object, error) {
	var objects []Object
	for _, node := range u.CRDs {
		crd, err := ObjectOf(node)
		if err != nil {
			return nil, err
		}
		objects = append(objects, crd.label(settings.Labels))
	}
	record, err := ObjectOf(u.Record)
	if err != nil {
		return nil, err
	}
	c := &controller{Settings: settings, namespace: namespace, kind: record.Text("kind"), rules: u.Rules}
	if err := record.name(settings.Name, namespace); err != nil {
		return nil, err
	}
	record.label(settings.Labels)
	if c.spec, err = record.mapping("spec", "controller", "deployment", "spec"); err != nil {
		return nil, fmt.Errorf("%s: %w", c.kind, err)
	}
	if err := c.complete(record); err != nil {
		return nil, err
	}
	if c.spec == nil {
		return append(objects, record), nil
	}
	return append(append(append(objects, c.account(record)...), record), c.deployment()), nil
}
