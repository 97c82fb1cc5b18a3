package stackpackage

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	stacks "github.com/resource-plugins/krm-functions/api/stacks/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/image"
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
func Install(u *Unpacked, i *contract.Installation, namespace string) ([]*unstructured.Unstructured, error) {
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

const wildcard = "*"

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

// controller is the controller of a package.
type controller struct {
	*contract.Installation

	namespace string
	// kind is that of the record.
	kind string
	// spec is that of the Deployment, as the package has it; nil if there is none.
	spec  map[string]any
	rules []rbacv1.PolicyRule
}

// account returns the ServiceAccount of the controller, and its permissions.
func (c *controller) account(record *unstructured.Unstructured) []*unstructured.Unstructured {
	annotations, _, _ := unstructured.NestedStringMap(record.Object, "spec", "controller", "serviceAccount", "annotations")
	account := c.object("v1", rbacv1.ServiceAccountKind, true)
	if len(annotations) > 0 {
		account.SetAnnotations(annotations)
	}
	if len(c.rules) == 0 {
		return []*unstructured.Unstructured{account}
	}
	roleKind, bindingKind := "Role", "RoleBinding"
	if c.Scope == stacks.ScopeCluster {
		roleKind, bindingKind = "ClusterRole", "ClusterRoleBinding"
	}
	isNamespaced := c.Scope != stacks.ScopeCluster
	apiVersion := rbacv1.SchemeGroupVersion.String()
	role := c.object(apiVersion, roleKind, isNamespaced)
	role.Object["rules"] = plain(Narrow(c.rules, c.Resources))
	binding := c.object(apiVersion, bindingKind, isNamespaced)
	binding.Object["roleRef"] = plain(rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: roleKind, Name: c.Controller})
	binding.Object["subjects"] = plain([]rbacv1.Subject{
		{Kind: rbacv1.ServiceAccountKind, Name: c.Controller, Namespace: c.namespace},
	})
	return []*unstructured.Unstructured{account, role, binding}
}

// object returns an object of the controller.
func (c *controller) object(apiVersion, kind string, isNamespaced bool) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	object.SetName(c.Controller)
	if isNamespaced {
		object.SetNamespace(c.namespace)
	}
	return labelled(object, c.Labels)
}

// complete fills in the record what the request says of the controller.
func (c *controller) complete(record *unstructured.Unstructured) error {
	if len(c.AccountAnnotations) > 0 {
		path := []string{"spec", "controller", "serviceAccount", "annotations"}
		own, _, err := unstructured.NestedStringMap(record.Object, path...)
		if err != nil {
			return fmt.Errorf("%s: %w", record.GetKind(), err)
		}
		all := maps.Clone(own)
		if all == nil {
			all = map[string]string{}
		}
		maps.Copy(all, c.AccountAnnotations)
		if err := unstructured.SetNestedStringMap(record.Object, all, path...); err != nil {
			return fmt.Errorf("%s: %w", record.GetKind(), err)
		}
	}
	if c.spec == nil {
		return nil
	}
	if err := c.completePod(); err != nil {
		return fmt.Errorf("spec.controller.deployment.spec of %s: %w", record.GetKind(), err)
	}
	return unstructured.SetNestedMap(record.Object, c.spec, "spec", "controller", "deployment", "spec")
}

// completePod fills in the Pod of the controller what the request says: images, how they are pulled, and which record a
// template stack's controller reads.
func (c *controller) completePod() error {
	pod, _, err := unstructured.NestedMap(c.spec, "template", "spec")
	if err != nil {
		return err
	}
	if pod == nil {
		return errors.New("template.spec must be set")
	}
	for _, name := range c.ImagePullSecrets {
		secrets, _ := pod["imagePullSecrets"].([]any)
		pod["imagePullSecrets"] = append(secrets, map[string]any{"name": name})
	}
	err = eachContainer(pod, func(container map[string]any) {
		own, _ := container["image"].(string)
		if own = image.WithSource(c.Source, cmp.Or(own, c.Image)); own != "" {
			container["image"], _ = image.Mirrored(c.Mirror, own)
		}
		if c.ImagePullPolicy != "" {
			container["imagePullPolicy"] = c.ImagePullPolicy
		}
	})
	if err != nil {
		return err
	}
	if containers, _ := pod["containers"].([]any); c.kind == stacks.KindStackDefinition && len(containers) > 0 {
		first := containers[0].(map[string]any)
		env, _ := first["env"].([]any)
		first["env"] = append(env, map[string]any{"name": "SD_NAMESPACE", "value": c.namespace},
			map[string]any{"name": "SD_NAME", "value": c.Name})
	}
	return unstructured.SetNestedMap(c.spec, pod, "template", "spec")
}

// eachContainer calls change with each container of a Pod's spec.
func eachContainer(pod map[string]any, change func(container map[string]any)) error {
	for _, field := range []string{"initContainers", "containers"} {
		containers, isList := pod[field].([]any)
		if pod[field] != nil && !isList {
			return fmt.Errorf("template.spec.%s must be a list", field)
		}
		for i, one := range containers {
			container, isMap := one.(map[string]any)
			if !isMap {
				return fmt.Errorf("template.spec.%s[%d] must be a container", field, i)
			}
			change(container)
		}
	}
	return nil
}

// deployment returns the Deployment of the controller. As in v0.10 the names, the selector and the ServiceAccount are ours,
// and no container may run as root.
func (c *controller) deployment() *unstructured.Unstructured {
	deployment := c.object("apps/v1", "Deployment", true)
	spec := (&unstructured.Unstructured{Object: c.spec}).DeepCopy().Object
	selector := map[string]any{"app": c.Controller}
	spec["selector"] = map[string]any{"matchLabels": selector}
	template := spec["template"].(map[string]any)
	metadata, _ := template["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	delete(metadata, "creationTimestamp")
	delete(metadata, "name")
	labels, _ := metadata["labels"].(map[string]any)
	if labels == nil {
		labels = map[string]any{}
	}
	maps.Copy(labels, selector)
	metadata["labels"], template["metadata"] = labels, metadata
	pod := template["spec"].(map[string]any)
	pod["serviceAccountName"] = c.Controller
	delete(pod, "serviceAccount")
	context(pod)["runAsNonRoot"] = true
	_ = eachContainer(pod, func(container map[string]any) { // completePod has seen that it can
		own := context(container)
		own["allowPrivilegeEscalation"], own["privileged"], own["runAsNonRoot"] = false, false, true
		if capabilities, _ := own["capabilities"].(map[string]any); capabilities != nil {
			delete(capabilities, "add")
		}
	})
	deployment.Object["spec"] = spec
	return deployment
}

// context returns the securityContext of a Pod or container, which it adds if it is missing.
func context(of map[string]any) map[string]any {
	own, _ := of["securityContext"].(map[string]any)
	if own == nil {
		own = map[string]any{}
		of["securityContext"] = own
	}
	return own
}
