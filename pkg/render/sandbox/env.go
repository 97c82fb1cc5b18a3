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
		env := readVariables(all[0])
		env.upsert(&corev1.EnvVar{Name: name, Value: value})
		env.write()
	}
}

// setEnv sets and deletes variables in their order.
func (c *customizer) setEnv(asked []v1alpha1.Env, at krm.Path) {
	read := map[string]*variables{} // by the container's name
	for i := range asked {
		v, at := &asked[i], at.Index(i)
		variable, ok := &corev1.EnvVar{}, v.Operation == "delete"
		if !ok {
			variable, ok = c.variable(v, at)
		}
		if !ok {
			continue
		}
		container := c.container(v.Container, at)
		if container == nil {
			continue
		}
		env := read[text(container, "name")]
		if env == nil {
			env = readVariables(container)
			read[text(container, "name")] = env
		}
		if v.Operation != "delete" {
			env.upsert(variable)
		} else if !env.delete(v.Name) {
			c.reportMissing(container, v.Name, at)
		}
	}
	for _, env := range read {
		env.write()
	}
}

func (c *customizer) reportMissing(container object, name string, at krm.Path) {
	reason := "it is not set there"
	if len(children(container, "envFrom")) > 0 {
		reason = "envFrom may still set it"
	}
	c.report(at, krm.Warning, "variable %q must be in the container's env to be deleted: %s", name, reason)
}

// awaitCreate keeps a fork from starting until all create steps are done: the kubelet starts no container with a
// variable from a key that does not exist. Init containers run one after the other, before all others.
func (s *input) awaitCreate(o object) {
	first := children(o, "spec", "template", "spec", "initContainers")
	if len(first) > 0 {
		first = first[:1]
	} else {
		first = children(o, "spec", "template", "spec", "containers")
	}
	for _, container := range first {
		env := readVariables(container)
		for i := range s.created {
			env.upsert(&s.created[i])
		}
		env.write()
	}
}

// variables are a container's variables. Changes take effect on write.
type variables struct {
	container object
	entries   []any            // nil for deleted ones
	at        map[string][]int // the indexes of a name's entries
	deleted   bool
}

func readVariables(container object) *variables {
	env, _ := container["env"].([]any)
	v := &variables{container: container, entries: env, at: make(map[string][]int, len(env))}
	for i, entry := range env {
		if mapping, ok := entry.(object); ok {
			name := text(mapping, "name")
			v.at[name] = append(v.at[name], i)
		}
	}
	return v
}

// upsert sets a variable in place, or adds it at the end, where it may refer to all others. If a name occurs several
// times, the last one counts.
func (v *variables) upsert(variable *corev1.EnvVar) {
	fresh, err := runtime.DefaultUnstructuredConverter.ToUnstructured(variable)
	if err != nil {
		panic(err) // every EnvVar is JSON
	}
	if at := v.at[variable.Name]; len(at) > 0 {
		v.entries[at[len(at)-1]] = fresh
		return
	}
	v.at[variable.Name] = []int{len(v.entries)}
	v.entries = append(v.entries, fresh)
}

// delete deletes all variables with a name, and reports whether there were any.
func (v *variables) delete(name string) bool {
	at := v.at[name]
	for _, i := range at {
		v.entries[i] = nil
	}
	delete(v.at, name)
	v.deleted = v.deleted || len(at) > 0
	return len(at) > 0
}

// write sets the container's variables.
func (v *variables) write() {
	left := v.entries
	if v.deleted {
		left = slices.DeleteFunc(v.entries, func(entry any) bool { return entry == nil })
	}
	if len(left) > 0 {
		v.container["env"] = left
	} else if v.deleted {
		delete(v.container, "env")
	}
}

// variable returns a variable with its value or source.
func (c *customizer) variable(v *v1alpha1.Env, at krm.Path) (*corev1.EnvVar, bool) {
	variable := &corev1.EnvVar{Name: v.Name}
	from := v.ValueFrom
	switch {
	case from == nil:
		variable.Value = v.Value
	case from.Resource != nil:
		step, key := from.Resource.StepOutput()
		key = keyOf(key, c.sandbox.generations[from.Resource])
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

// expand expands the fields `{{ .Service.Host }}` and `{{ .Service.Port }}` of a fork, the two on the vendor's page on
// service references.
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
