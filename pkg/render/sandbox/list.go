package sandbox

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/internal/tree"
)

// list is a list that is merged: by a key of its elements, or, with an empty key, by the elements themselves.
type list struct {
	key, name string
	elem      overlay.Shape
	order     []*yaml.Node // the elements, or their keys, in the order that is wanted
}

// find returns the first element that is the same as one, -1 where there is none.
func (l list) find(elements []*yaml.Node, one *yaml.Node) int {
	return slices.IndexFunc(elements, func(e *yaml.Node) bool { return l.same(e, one) })
}

func (l list) same(a, b *yaml.Node) bool {
	if l.key == "" {
		return tree.Equal(a, b)
	}
	a, b = tree.Get(a, l.key), tree.Get(b, l.key)
	return a != nil && b != nil && tree.Equal(a, b)
}

// mergeList merges elements with equal keys and adds the others. The elements that the patch orders keep that order, and so
// do the others; one of the others goes before one of the patch only where it stood before it.
func mergeList(old, patch *yaml.Node, l list) (*yaml.Node, error) {
	base, fresh, err := l.directives(old.Content, patch.Content)
	if err != nil {
		return nil, err
	}
	merged := slices.Clone(base)
	for _, element := range fresh {
		at := l.find(base, element)
		switch {
		case at < 0 && l.find(merged, element) < 0:
			merged = append(merged, withoutNulls(element))
		case at >= 0 && l.key != "":
			if merged[at], err = mergeMap(merged[at], element, l.elem); err != nil {
				return nil, err
			}
		}
	}
	return tree.WithContent(old, l.sorted(merged, base)), nil
}

// directives carries out what elements with $patch ask for, and returns the list that is left and the patch's other
// elements.
func (l list) directives(base, patch []*yaml.Node) (left, fresh []*yaml.Node, err error) {
	left = slices.Clone(base)
	replaced := false
	for i, element := range patch {
		if l.key != "" && !tree.IsMap(element) {
			return nil, nil, fmt.Errorf("must have mappings in the list %q, not what is in element %d", l.name, i)
		}
		mark := tree.Get(element, directive)
		switch {
		case mark != nil && mark.Value == "replace":
			replaced = true
		case l.key != "" && tree.Get(element, l.key) == nil:
			return nil, nil, fmt.Errorf("must set %q in element %d of the list %q, by which it is merged", l.key, i, l.name)
		case mark == nil:
			fresh = append(fresh, element)
		case mark.Value == "delete":
			left = slices.DeleteFunc(left, func(e *yaml.Node) bool { return l.same(e, element) })
		default:
			return nil, nil, fmt.Errorf("must have replace or delete as %s in element %d of the list %q, not %q",
				directive, i, l.name, mark.Value)
		}
	}
	if replaced {
		left = nil
	}
	return left, fresh, nil
}

// sorted brings merged elements into order: see mergeList.
func (l list) sorted(merged, base []*yaml.Node) []*yaml.Node {
	var ordered, others []*yaml.Node
	for _, element := range merged {
		if l.find(l.order, element) >= 0 {
			ordered = append(ordered, element)
		} else {
			others = append(others, element)
		}
	}
	slices.SortStableFunc(ordered, func(a, b *yaml.Node) int { return l.find(l.order, a) - l.find(l.order, b) })
	out := make([]*yaml.Node, 0, len(merged))
	for len(ordered) > 0 && len(others) > 0 {
		if at := l.find(base, ordered[0]); at >= 0 && l.find(base, others[0]) < at {
			out, others = append(out, others[0]), others[1:]
		} else {
			out, ordered = append(out, ordered[0]), ordered[1:]
		}
	}
	return append(append(out, ordered...), others...)
}

// reorder brings a list of the target into the order of a patch that has nothing else to say about it.
func reorder(target *yaml.Node, key string, wanted *yaml.Node, shape overlay.Shape) *yaml.Node {
	old := tree.Get(target, key)
	merges, mergeKey := shape.Merges(key)
	if old == nil || old.Kind != yaml.SequenceNode || !merges {
		return target
	}
	l := list{key: mergeKey, name: key, order: wanted.Content}
	return tree.With(target, key, tree.WithContent(old, l.sorted(old.Content, old.Content)))
}
