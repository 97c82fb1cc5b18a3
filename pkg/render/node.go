package render

import (
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/tree"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// PutNode is Put for an object that is a YAML tree, such as a copy of somebody's manifest: its comments are printed too. The
// tree is not changed. Comments alone do not make an object another one.
func (v *Reconciler) PutNode(object *yaml.Node, place *Place) (Change, error) {
	old, skip, err := v.claim(identity{
		tree.String(object, "kind"), tree.String(object, "metadata", "namespace"), tree.String(object, "metadata", "name"),
	})
	if skip || err != nil {
		return Change{}, err
	}
	if old != nil {
		if tree.Equal(object, withoutOrchestrators(old.item.YNode())) && at(old.item, place) {
			return Change{}, nil
		}
		theirs := map[string]string{}
		for _, key := range orchestratorKeys(old.item.YNode()) {
			theirs[key] = annotation(old.item, key)
		}
		for _, key := range slices.Sorted(maps.Keys(theirs)) {
			object = tree.Set(object, tree.Text(theirs[key]), "metadata", "annotations", key)
		}
	}
	if place != nil {
		object = tree.Set(object, tree.Text(strconv.Itoa(place.Index)), "metadata", "annotations", indexKey)
		object = tree.Set(object, tree.Text(place.Path), "metadata", "annotations", pathKey)
	}
	text, err := krm.FromNode(object, "").Bytes()
	if err != nil {
		return Change{}, err
	}
	fresh, err := krm.NewItem(text)
	if err != nil {
		return Change{}, err
	}
	return old.change(fresh), nil
}

func withoutOrchestrators(object *yaml.Node) *yaml.Node {
	return tree.Update(object, func(annotations *yaml.Node) *yaml.Node {
		return tree.Only(annotations, func(key string) bool { return !isOrchestrators(key) })
	}, "metadata", "annotations")
}

func orchestratorKeys(object *yaml.Node) (keys []string) {
	annotations := krm.Value(krm.Value(object, "metadata"), "annotations")
	for i := 0; annotations != nil && i+1 < len(annotations.Content); i += 2 {
		if key := annotations.Content[i].Value; isOrchestrators(key) {
			keys = append(keys, key)
		}
	}
	return keys
}
