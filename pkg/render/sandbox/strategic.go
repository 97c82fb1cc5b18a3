package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/internal/tree"
)

// The directives of a strategic merge patch, as apimachinery's strategicpatch has them.
const (
	directive     = "$patch"
	retainKeys    = "$retainKeys"
	elementOrder  = "$setElementOrder/"
	deleteFromKey = "$deleteFromPrimitiveList/"
)

// Strategic applies a strategic merge patch, as apimachinery's strategicpatch does: mappings are merged; of lists those with
// a merge key are merged by it and the others replaced; null removes. Shape is the type of the target; where it does not
// know a field, lists are replaced.
func StrategicPatch(target, patch *yaml.Node, shape overlay.Shape) (*yaml.Node, error) {
	if !tree.IsMap(patch) {
		return nil, errors.New("must be a mapping, such as {spec: …}")
	}
	return mergeMap(target, patch, shape)
}

func mergeMap(target, patch *yaml.Node, shape overlay.Shape) (*yaml.Node, error) {
	if mark := tree.Get(patch, directive); mark != nil {
		switch mark.Value {
		case "replace":
			return tree.Without(patch, directive), nil
		case "delete":
			return tree.Map(), nil
		}
		return nil, fmt.Errorf("must have replace, delete or merge as %s, and merge only by leaving it out, not %q",
			directive, mark.Value)
	}
	target, err := retain(target, patch)
	if err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(patch.Content); i += 2 {
		if target, err = mergeField(target, patch, i, shape); err != nil {
			return nil, err
		}
	}
	return target, nil
}

// retain removes the fields that $retainKeys does not name.
func retain(target, patch *yaml.Node) (*yaml.Node, error) {
	kept := tree.Get(patch, retainKeys)
	if kept == nil {
		return target, nil
	}
	if kept.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("must have a list of keys as %s", retainKeys)
	}
	names := func(key string) bool {
		return slices.ContainsFunc(kept.Content, func(n *yaml.Node) bool { return n.Value == key })
	}
	for i := 0; i+1 < len(patch.Content); i += 2 {
		key := patch.Content[i].Value
		if key[:min(1, len(key))] != "$" && !tree.IsNull(patch.Content[i+1]) && !names(key) {
			return nil, fmt.Errorf("must name the key %q in %s, which it sets", key, retainKeys)
		}
	}
	return tree.Only(target, names), nil
}

func mergeField(target, patch *yaml.Node, i int, shape overlay.Shape) (*yaml.Node, error) {
	key, value := patch.Content[i].Value, patch.Content[i+1]
	if name, ok := strings.CutPrefix(key, deleteFromKey); ok {
		return deleteFrom(target, name, value), nil
	}
	if name, ok := strings.CutPrefix(key, elementOrder); ok {
		if tree.Find(patch, name) >= 0 {
			return target, nil // with the list itself
		}
		return reorder(target, name, value, shape), nil
	}
	old := tree.Get(target, key)
	switch {
	case key == retainKeys:
		return target, nil
	case tree.IsNull(value):
		return tree.Without(target, key), nil
	case old == nil || old.Kind != value.Kind || old.Kind == yaml.ScalarNode:
		if value = withoutDirectives(withoutNulls(value)); value == nil {
			return tree.Without(target, key), nil
		}
		return tree.With(target, key, value), nil
	case old.Kind == yaml.MappingNode:
		merged, err := mergeMap(old, value, shape.Field(key))
		if err != nil {
			return nil, err
		}
		return tree.With(target, key, merged), nil
	}
	merges, mergeKey := shape.Merges(key)
	if !merges {
		return tree.With(target, key, value), nil
	}
	l := list{key: mergeKey, name: key, elem: shape.Field(key), order: order(patch, key, value)}
	merged, err := mergeList(old, value, l)
	if err != nil {
		return nil, err
	}
	return tree.With(target, key, merged), nil
}

// order returns the elements that a patch wants in their order: those of $setElementOrder, or its own.
func order(patch *yaml.Node, key string, value *yaml.Node) []*yaml.Node {
	if wanted := tree.Get(patch, elementOrder+key); wanted != nil && wanted.Kind == yaml.SequenceNode {
		return wanted.Content
	}
	return value.Content
}

func deleteFrom(target *yaml.Node, key string, values *yaml.Node) *yaml.Node {
	old := tree.Get(target, key)
	if old == nil || old.Kind != yaml.SequenceNode {
		return target
	}
	left := slices.DeleteFunc(slices.Clone(old.Content), func(element *yaml.Node) bool {
		return slices.ContainsFunc(values.Content, func(v *yaml.Node) bool { return tree.Equal(element, v) })
	})
	return tree.With(target, key, tree.WithContent(old, left))
}

// withoutDirectives removes the directives of what is new, and what they stand in.
func withoutDirectives(node *yaml.Node) *yaml.Node {
	if tree.IsMap(node) && tree.Find(node, directive) >= 0 {
		return nil
	}
	var content []*yaml.Node
	for i := 0; i < len(node.Content); i++ {
		key := node.Content[i]
		if tree.IsMap(node) {
			i++
		}
		value := withoutDirectives(node.Content[i])
		switch {
		case value == nil || tree.IsMap(node) && strings.HasPrefix(key.Value, "$"):
		case tree.IsMap(node):
			content = append(content, key, value)
		default:
			content = append(content, value)
		}
	}
	return tree.WithContent(node, content)
}
