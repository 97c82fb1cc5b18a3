package registry

import (
	"cmp"
	"errors"
	"fmt"
	"maps"

	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/imageref"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// controller describes the controller of a package.
type controller struct {
	*unpacking.Settings

	namespace string
	// kind is the kind of the record.
	kind string
	// spec is the Deployment's spec as in the package, nil if the package has no Deployment.
	spec  Object
	rules []v1alpha1.PolicyRule
}

const rbacGroup = "rbac.authorization.k8s.io"

// account returns the ServiceAccount of the controller with its role and binding.
func (c *controller) account(record Object) []Object {
	const accountKind = "ServiceAccount"
	annotations, _ := record.texts("spec", "controller", "serviceAccount", "annotations")
	account := c.object("v1", accountKind, true)
	account.setMetadata("annotations", annotations)
	if len(c.rules) == 0 {
		return []Object{account}
	}
	roleKind, bindingKind := "Role", "RoleBinding"
	if c.Scope == v1alpha1.ScopeCluster {
		roleKind, bindingKind = "ClusterRole", "ClusterRoleBinding"
	}
	isNamespaced := c.Scope != v1alpha1.ScopeCluster
	role := c.object(rbacGroup+"/v1", roleKind, isNamespaced)
	role["rules"] = plain(narrow(c.rules, c.Resources))
	binding := c.object(rbacGroup+"/v1", bindingKind, isNamespaced)
	binding["roleRef"] = map[string]any{"apiGroup": rbacGroup, "kind": roleKind, "name": c.Controller}
	binding["subjects"] = []any{map[string]any{"kind": accountKind, "name": c.Controller, "namespace": c.namespace}}
	return []Object{account, role, binding}
}

// object returns an object of the controller.
func (c *controller) object(apiVersion, kind string, isNamespaced bool) Object {
	metadata := map[string]any{"name": c.Controller}
	if isNamespaced {
		metadata["namespace"] = c.namespace
	}
	return Object{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}.label(c.Labels)
}

// complete adds the controller settings of the request to the record.
func (c *controller) complete(record Object) error {
	if len(c.AccountAnnotations) > 0 {
		path := []string{"spec", "controller", "serviceAccount", "annotations"}
		own, err := record.texts(path...)
		if err != nil {
			return fmt.Errorf("%s: %w", c.kind, err)
		}
		all := map[string]string{}
		maps.Copy(all, own)
		maps.Copy(all, c.AccountAnnotations)
		if err := record.set(anyOf(all), path...); err != nil {
			return fmt.Errorf("%s: %w", c.kind, err)
		}
	}
	if c.spec == nil {
		return nil
	}
	if err := c.completePod(); err != nil {
		return fmt.Errorf("spec.controller.deployment.spec of %s: %w", c.kind, err)
	}
	return record.set(map[string]any(c.spec), "spec", "controller", "deployment", "spec")
}

// completePod adds the settings of the request to the Pod of the controller: images, their pull policy and secrets, and the
// record that a template stack's controller reads.
func (c *controller) completePod() error {
	pod, err := c.spec.mapping("template", "spec")
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
		if own = imageref.WithSource(c.Source, cmp.Or(own, c.Image)); own != "" {
			container["image"], _ = imageref.Mirrored(c.Mirror, own)
		}
		if c.ImagePullPolicy != "" {
			container["imagePullPolicy"] = c.ImagePullPolicy
		}
	})
	if err != nil {
		return err
	}
	if containers, _ := pod["containers"].([]any); c.kind == v1alpha1.KindStackDefinition && len(containers) > 0 {
		first := containers[0].(map[string]any)
		env, _ := first["env"].([]any)
		first["env"] = append(env, map[string]any{"name": "SD_NAMESPACE", "value": c.namespace},
			map[string]any{"name": "SD_NAME", "value": c.Name})
	}
	return c.spec.set(pod, "template", "spec")
}

// eachContainer calls change for each container of a Pod's spec.
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

// deployment returns the Deployment of the controller. As in v0.10, it replaces the names, the selector and the
// ServiceAccount of the package, and no container may run as root.
func (c *controller) deployment() Object {
	deployment := c.object("apps/v1", "Deployment", true)
	spec := clone(map[string]any(c.spec)).(map[string]any)
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
	_ = eachContainer(pod, func(container map[string]any) { // completePod has checked the containers
		own := context(container)
		own["allowPrivilegeEscalation"], own["privileged"], own["runAsNonRoot"] = false, false, true
		if capabilities, _ := own["capabilities"].(map[string]any); capabilities != nil {
			delete(capabilities, "add")
		}
	})
	deployment["spec"] = spec
	return deployment
}

// context returns the securityContext of a Pod or container and adds it if it is missing.
func context(of map[string]any) map[string]any {
	own, _ := of["securityContext"].(map[string]any)
	if own == nil {
		own = map[string]any{}
		of["securityContext"] = own
	}
	return own
}
