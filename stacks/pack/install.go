package pack

import (
	"fmt"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// Install returns the objects that make an unpacked package run, in the order in which they must be applied: the CRDs; the
// controller's ServiceAccount, its role and binding; the record; the controller's Deployment. The namespace is that of the
// request. A package without a controller has CRDs and a record alone.
//
// The objects are those that the stack manager of crossplane v0.10 made, with these differences: names end in a hash, a
// Namespaced package gets a Role and not a ClusterRole, and permissions have no wildcard where the API group or
// i.Resources tells what it stands for.
//
//   - https://github.com/crossplane/crossplane/blob/v0.10.0/pkg/controller/stacks/stack/stack.go
//   - https://github.com/crossplane/crossplane/blob/v0.10.0/pkg/controller/stacks/install/installjob.go
func Install(u *Unpacked, i *unpacking.Installation, namespace string) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	for _, node := range u.CRDs {
		crd, err := content(node)
		if err != nil {
			return nil, err
		}
		objects = append(objects, labelled(crd, i.Labels))
	}
	record, err := content(u.Record)
	if err != nil {
		return nil, err
	}
	c := &controller{Installation: i, namespace: namespace, kind: record.GetKind()}
	record.SetName(i.Name)
	record.SetNamespace(namespace)
	labelled(record, i.Labels)
	if c.spec, _, err = unstructured.NestedMap(record.Object, "spec", "controller", "deployment", "spec"); err != nil {
		return nil, fmt.Errorf("%s: %w", record.GetKind(), err)
	}
	if c.rules, err = Rules(record); err != nil {
		return nil, err
	}
	if err := c.complete(record); err != nil {
		return nil, err
	}
	if c.spec == nil {
		return append(objects, record), nil
	}
	return append(append(append(objects, c.account(record)...), record), c.deployment()), nil
}

// content returns an object as a client sees it.
func content(node *kyaml.RNode) (*unstructured.Unstructured, error) {
	text, err := node.MarshalJSON()
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(text); err != nil {
		return nil, err
	}
	annotations := object.GetAnnotations()
	maps.DeleteFunc(annotations, func(key, _ string) bool {
		return key == contract.PackageKey || key == contract.PackagePartKey || isOrchestrators(key)
	})
	if len(annotations) == 0 {
		annotations = nil
	}
	object.SetAnnotations(annotations)
	return object, nil
}

// isOrchestrators reports whether an annotation is for what handles files, not for the cluster.
func isOrchestrators(key string) bool {
	prefix, _, _ := strings.Cut(key, "/")
	return prefix == "config.kubernetes.io" || prefix == "internal.config.kubernetes.io" || prefix == "config.k8s.io"
}

// labelled adds labels to an object. What it has stays: the label managed-by of a CRD is the package's.
func labelled(object *unstructured.Unstructured, labels map[string]string) *unstructured.Unstructured {
	all := maps.Clone(labels)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, object.GetLabels())
	if len(all) > 0 {
		object.SetLabels(all)
	}
	return object
}

const wildcard = "*"
