package render

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// maxConfigMap is the most that a ConfigMap's keys and values may hold together, in bytes (Kubernetes).
const maxConfigMap = 1 << 20

// scriptMaps puts each script of a phase into an immutable ConfigMap, and returns their names by step. A ConfigMap is named
// after its content: a new version of the plugin keeps those whose scripts are the same, and with them the Jobs of these
// steps.
func (c *compiledPhase) scriptMaps(plugin string, steps []v1alpha1.Step) (names map[string]string, objects []object) {
	names = make(map[string]string, len(steps))
	for i := range steps {
		o := c.scriptMap(plugin, &steps[i])
		names[steps[i].Name] = o.GetName()
		objects = append(objects, o)
	}
	return names, objects
}

func (c *compiledPhase) scriptMap(plugin string, step *v1alpha1.Step) object {
	data := map[string]string{step.Name: step.Script}
	hash := contract.Hash("scripts", plugin, string(c.phase), step.Name, step.Script)
	name := contract.ObjectName(hash, plugin, string(c.phase))
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
