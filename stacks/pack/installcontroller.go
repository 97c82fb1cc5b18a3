package pack

import (
	"cmp"
	"errors"
	"fmt"
	"maps"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/resource-plugins/krm-functions/internal/image"
	stacks "github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// controller is the controller of a package.
type controller struct {
	*unpacking.Installation

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
