package render

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/manifest"
)

// maxConfigMap is the most that a ConfigMap's keys and values may hold together, in bytes (Kubernetes).
const maxConfigMap = 1 << 20

// Modes of files in volumes: any user may read them, and run scripts.
const (
	executable manifest.Int = 0o555
	readable   manifest.Int = 0o444
)

// scriptMaps puts the scripts of a phase into immutable ConfigMaps, as few as they fit in, and tells in which one each
// step's is. A ConfigMap is named after what it holds: a new version of the plugin with the same scripts keeps it, and
// with it the Jobs as they are.
func (b *Blueprint) scriptMaps(bare string, steps []v1alpha1.Step) (names map[string]string, maps []Object) {
	names = make(map[string]string, len(steps))
	size, first := 0, 0
	for i, step := range steps {
		if more := len(step.Name) + len(step.Script); size+more > maxConfigMap && i > first {
			maps = append(maps, b.scriptMap(bare, steps[first:i], names))
			size, first = 0, i
		}
		size += len(step.Name) + len(step.Script)
	}
	if first < len(steps) {
		maps = append(maps, b.scriptMap(bare, steps[first:], names))
	}
	return names, maps
}

func (b *Blueprint) scriptMap(bare string, steps []v1alpha1.Step, names map[string]string) Object {
	data := make(manifest.Map, 0, len(steps))
	hashed := append(make([]string, 0, 3+2*len(steps)), "scripts", bare, string(b.phase))
	for _, step := range steps {
		data = append(data, manifest.KV(step.Name, manifest.String(step.Script)))
		hashed = append(hashed, step.Name, step.Script)
	}
	name := contract.ObjectName(contract.Hash(hashed...), bare, string(b.phase))
	for _, step := range steps {
		names[step.Name] = name
	}
	object := b.configMap(name, data, facts{labels: manifest.NewMap(
		manifest.KV(contract.ManagedByKey, manifest.String(contract.ManagedBy)),
		manifest.KV(contract.PhaseKey, manifest.String(b.phase)),
	), annotations: manifest.NewMap(
		manifest.KV(contract.PhaseKey, manifest.String(b.phase)),
		manifest.KV(contract.RenderedByKey, manifest.String(b.options.RenderedBy)),
	)})
	object.Shared = true
	return object
}

func (b *Blueprint) configMap(name string, data manifest.Map, f facts) Object {
	return b.object(b.namespace, "v1", "ConfigMap", name, f,
		manifest.KV("data", manifest.NewMap(data...)),
		manifest.KV("immutable", manifest.Bool(true)),
	)
}
