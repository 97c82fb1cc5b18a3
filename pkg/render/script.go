package render

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// maxConfigMap is the most that a ConfigMap's keys and values may hold together, in bytes (Kubernetes).
const maxConfigMap = 1 << 20

// scriptMaps puts the scripts of a phase into immutable ConfigMaps, as few as they fit in, and returns in which one each
// step's is. A ConfigMap is named after what it holds: a new version of the plugin with the same scripts keeps it, and
// with it the Jobs as they are.
func (c *compiledPhase) scriptMaps(plugin string, steps []v1alpha1.Step) (names map[string]string, objects []object) {
	names = make(map[string]string, len(steps))
	size, first := 0, 0
	for i, step := range steps {
		if more := len(step.Name) + len(step.Script); size+more > maxConfigMap && i > first {
			objects = append(objects, c.scriptMap(plugin, steps[first:i], names))
			size, first = 0, i
		}
		size += len(step.Name) + len(step.Script)
	}
	if first < len(steps) {
		objects = append(objects, c.scriptMap(plugin, steps[first:], names))
	}
	return names, objects
}

func (c *compiledPhase) scriptMap(plugin string, steps []v1alpha1.Step, names map[string]string) object {
	data := make(map[string]string, len(steps))
	hashed := append(make([]string, 0, 3+2*len(steps)), "scripts", plugin, string(c.phase))
	for _, step := range steps {
		data[step.Name] = step.Script
		hashed = append(hashed, step.Name, step.Script)
	}
	name := contract.ObjectName(contract.Hash(hashed...), plugin, string(c.phase))
	for _, step := range steps {
		names[step.Name] = name
	}
	m := metadata{
		labels:      map[string]string{contract.ManagedByKey: contract.ManagedBy, contract.PhaseKey: string(c.phase)},
		annotations: map[string]string{contract.PhaseKey: string(c.phase)},
	}
	c.options.Own(m.annotations)
	return object{
		Manifest: configMap(m, c.namespace, name, data), kind: "ConfigMap", phase: c.phase, isShared: true,
	}
}

func configMap(m metadata, namespace, name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		TypeMeta: typeMeta("v1", "ConfigMap"), ObjectMeta: m.of(namespace, name), Data: data, Immutable: new(true),
	}
}
