package overlay

import (
	"slices"

	"github.com/resource-plugins/krm-functions/internal/manifest"
)

// Merge applies a patch, a partial pod template, to a pod template by strategic merge, as apimachinery's strategicpatch
// does: mappings are merged; of lists those with a merge key are merged by it and the others replaced. Neither tree is
// changed, the result shares what it can. The patch must hold no directives and set every merge key.
func Merge(template, patch manifest.Map) manifest.Map { return mergeMap(schema(), template, patch) }

func mergeMap(t *typ, base, patch manifest.Map) manifest.Map {
	out := make(manifest.Map, 0, len(base)+len(patch))
	for len(base) > 0 && len(patch) > 0 {
		switch b, p := base[0], patch[0]; {
		case b.Key < p.Key:
			out, base = append(out, b), base[1:]
		case b.Key > p.Key:
			out, patch = append(out, p), patch[1:]
		default:
			out = append(out, manifest.Field{Key: b.Key, Value: mergeField(t, b.Key, b.Value, p.Value)})
			base, patch = base[1:], patch[1:]
		}
	}
	return append(append(out, base...), patch...)
}

func mergeField(t *typ, key string, base, patch manifest.Value) manifest.Value {
	f := &field{typ: t.elem}
	if t.kind == structure {
		f = t.fields[key]
	}
	switch p := patch.(type) {
	case manifest.Map:
		if b, ok := base.(manifest.Map); ok {
			return mergeMap(f.typ, b, p)
		}
	case manifest.List:
		if b, ok := base.(manifest.List); ok && f.merged {
			return mergeList(f, b, p)
		}
	}
	return patch
}

// mergeList merges elements of equal keys. The patch's elements keep their order, and so do the others; an element of
// the base goes before one of the patch only where it stood before it in the base.
func mergeList(f *field, base, patch manifest.List) manifest.List {
	places := make([]int, len(patch)) // of the patch's elements in the base, -1 where they are new
	merged := slices.Clone(patch)
	taken := make([]bool, len(base))
	for i, element := range patch {
		places[i] = slices.IndexFunc(base, func(b manifest.Value) bool { return sameKey(f, b, element) })
		if at := places[i]; at >= 0 {
			taken[at] = true
			if f.key != "" {
				merged[i] = mergeMap(f.elem, base[at].(manifest.Map), element.(manifest.Map))
			}
		}
	}
	out := make(manifest.List, 0, len(base)+len(patch))
	next := 0
	for i, element := range base {
		if taken[i] {
			continue
		}
		for next < len(merged) && places[next] < i {
			out = append(out, merged[next])
			next++
		}
		out = append(out, element)
	}
	return append(out, merged[next:]...)
}

func sameKey(f *field, a, b manifest.Value) bool {
	if f.key == "" {
		return a == b
	}
	return a.(manifest.Map).Get(f.key) == b.(manifest.Map).Get(f.key)
}
