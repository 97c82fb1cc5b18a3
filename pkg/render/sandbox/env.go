package sandbox

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// injectEnv sets a variable of the main container.
func injectEnv(o object, name, value string) {
	if all := containers(o); len(all) > 0 {
		upsertEnv(all[0], &corev1.EnvVar{Name: name, Value: value})
	}
}

// setEnv sets or deletes a variable.
func (c *customizer) setEnv(v *v1alpha1.Env, at krm.Path) {
	if v.Operation == "delete" {
		if container := c.container(v.Container, at); container != nil {
			c.deleteEnv(container, v.Name, at)
		}
		return
	}
	variable, ok := c.variable(v, at)
	if !ok {
		return
	}
	if container := c.container(v.Container, at); container != nil {
		upsertEnv(container, variable)
	}
}

// upsertEnv sets a variable in its place, or adds it at the end, where it may refer to all others. Of several of one name
// the last one counts.
func upsertEnv(container object, variable *corev1.EnvVar) {
	fresh, err := runtime.DefaultUnstructuredConverter.ToUnstructured(variable)
	if err != nil {
		panic(err) // every EnvVar is JSON
	}
	env, _ := container["env"].([]any)
	for i, entry := range slices.Backward(env) {
		if mapping, ok := entry.(object); ok && text(mapping, "name") == variable.Name {
			env[i] = fresh
			return
		}
	}
	container["env"] = append(env, fresh)
}

func (c *customizer) deleteEnv(container object, name string, at krm.Path) {
	env, _ := container["env"].([]any)
	left := slices.DeleteFunc(slices.Clone(env), func(entry any) bool {
		mapping, ok := entry.(object)
		return ok && text(mapping, "name") == name
	})
	switch {
	case len(left) == len(env) && len(children(container, "envFrom")) > 0:
		c.report(at, krm.Warning, "variable %q must be in the container's env to be deleted: envFrom may still set it", name)
	case len(left) == len(env):
		c.report(at, krm.Warning, "variable %q must be in the container's env to be deleted: there is none", name)
	case len(left) == 0:
		delete(container, "env")
	default:
		container["env"] = left
	}
}

// variable returns a variable with its value, or with where it comes from.
func (c *customizer) variable(v *v1alpha1.Env, at krm.Path) (*corev1.EnvVar, bool) {
	variable := &corev1.EnvVar{Name: v.Name}
	from := v.ValueFrom
	switch {
	case from == nil:
		variable.Value = v.Value
	case from.Resource != nil:
		step, key := from.Resource.StepOutput()
		secret := contract.OutputSecretName(c.sandbox.id, from.Resource.Name, step) // where render-phase publishes it
		variable.ValueFrom = secretKey(v1alpha1.KeyReference{Name: secret, Key: key})
	case from.ConfigMap != nil:
		variable.ValueFrom = &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: from.ConfigMap.Name},
			Key:                  from.ConfigMap.Key, Optional: optional(from.ConfigMap),
		}}
	case from.Secret != nil:
		variable.ValueFrom = secretKey(*from.Secret)
	case from.Fork != nil:
		value, ok := c.expand(from.Fork, at.Key("valueFrom").Key("fork"))
		variable.Value = value
		return variable, ok
	}
	return variable, true
}

func secretKey(r v1alpha1.KeyReference) *corev1.EnvVarSource {
	return &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
		LocalObjectReference: corev1.LocalObjectReference{Name: r.Name}, Key: r.Key, Optional: optional(&r),
	}}
}

func optional(r *v1alpha1.KeyReference) *bool {
	if !r.Optional {
		return nil
	}
	return ptr.To(true)
}

// expand fills in what of a fork is known: `{{ .Service.Host }}` and `{{ .Service.Port }}`, the two that the vendor's page
// on service references has.
func (c *customizer) expand(f *v1alpha1.ForkExpression, at krm.Path) (string, bool) {
	service := c.sandbox.front(f.ForkOf)
	if service == nil {
		c.report(at.Key("forkOf"), krm.Error,
			"%s %q of namespace %q must have a Service in front of it, in the list, to be reached",
			f.ForkOf.Kind, f.ForkOf.Name, f.ForkOf.Namespace)
		return "", false
	}
	expanded := serviceField.ReplaceAllStringFunc(f.Expression, func(action string) string {
		if strings.Contains(action, "Host") {
			return service.host()
		}
		return strconv.Itoa(service.ports[0].number)
	})
	if strings.Contains(expanded, "{{") {
		c.report(at.Key("expression"), krm.Error,
			"must hold {{ .Service.Host }} and {{ .Service.Port }} and no other expression, not %q", f.Expression)
		return "", false
	}
	return expanded, true
}

var serviceField = regexp.MustCompile(`\{\{\s*\.Service\.(Host|Port)\s*\}\}`)
