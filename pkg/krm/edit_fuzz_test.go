package krm

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// compareEdits checks that edits of the first item come out as the same edits of its tree, that all other bytes stay,
// and that the same edits again change nothing.
func compareEdits(t *testing.T, src []byte, key, value string, kind int) {
	t.Helper()
	list, err := Parse(src)
	if err != nil || len(list.Items()) == 0 {
		return
	}
	item := list.Items()[0]
	if !editForTest(item, key, value, kind) {
		return
	}
	want, wantErr := item.editedTree()
	out, err := list.render()
	if wantErr != nil {
		require.True(t, err != nil || len(item.changes()) == 0, "%q became %q", src, out)
		return
	}
	require.NoError(t, err)
	root := full(out)
	require.NotNil(t, root, "%q became %q", src, out)
	items := Value(root, "items").Content
	require.Len(t, items, len(list.Items()))
	require.True(t, same(items[0], want), "%q became %q", src, out)
	compareRest(t, list, out, items)

	object, err := item.Bytes()
	require.NoError(t, err)
	alone, err := parseOne(object)
	require.NoError(t, err, "%q", object)
	require.True(t, same(alone, want), "%q stands alone as %q", src, object)

	again, err := Parse(out)
	if err != nil {
		require.ErrorContains(t, err, "must have")
		return
	}
	editForTest(again.Items()[0], key, value, kind)
	twice, err := again.render()
	require.NoError(t, err)
	require.Equal(t, string(out), string(twice))
}

// compareRest checks the items that nobody edited.
func compareRest(t *testing.T, list *ResourceList, out []byte, items []*yaml.Node) {
	t.Helper()
	for n, item := range list.Items()[1:] {
		want, err := item.editedTree()
		require.NoError(t, err)
		require.True(t, same(items[n+1], want))
		if list.root == nil && (list.layout == nil || bytes.HasSuffix(list.src, []byte("\n"))) {
			require.True(t, bytes.Contains(out, item.raw()), "%q is not in %q", item.raw(), out)
		}
	}
}

func editForTest(item *Item, key, value string, kind int) bool {
	switch kind & 7 {
	case 0:
		item.Annotate(key, value)
		item.Annotate(key+"2", value)
	case 1:
		item.Unannotate(key)
	case 2:
		item.Annotate(key, value)
		item.Unannotate("a")
		return item.Set("kind", value) == nil
	case 3:
		for _, path := range slices.Backward(scalarPaths(item.Node(), "", 0)) {
			if item.Set(path, value) != nil {
				return false
			}
		}
	default:
		paths := scalarPaths(item.Node(), "", 0)
		return len(paths) > 0 && item.Set(paths[int(uint8(kind>>3))%len(paths)], value) == nil
	}
	return true
}

// scalarPaths lists the scalars that a path can name: it knows keys that are strings, and of equal ones the first.
func scalarPaths(node *yaml.Node, at Path, depth int) []Path {
	if depth > 20 {
		return nil
	}
	switch node = dereference(node); node.Kind {
	case yaml.ScalarNode:
		if at == "" {
			return nil
		}
		return []Path{at}
	case yaml.MappingNode:
		var paths []Path
		for n := 0; n+1 < len(node.Content); n += 2 {
			if key := node.Content[n]; key.ShortTag() == "!!str" && keyIndex(node, key.Value) == n {
				paths = append(paths, scalarPaths(node.Content[n+1], at.Key(key.Value), depth+1)...)
			}
		}
		return paths
	default:
		var paths []Path
		for n, child := range node.Content {
			paths = append(paths, scalarPaths(child, at.Index(n), depth+1)...)
		}
		return paths
	}
}

func FuzzEdit(f *testing.F) {
	for n, seed := range seeds(f) {
		for kind := range 5 {
			f.Add(seed, "a", "x y", kind+n<<3)
		}
	}
	f.Fuzz(compareEdits)
}

// FuzzEditItem puts fuzzed text behind an item's identity.
func FuzzEditItem(f *testing.F) {
	for n, seed := range seeds(f) {
		if _, rest, ok := bytes.Cut(seed, []byte("kind: A")); ok {
			f.Add(rest, "a", "b", n)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, key, value string, kind int) {
		before := head + "items:\n- apiVersion: v1\n  kind: AList"
		compareEdits(t, append([]byte(before), text...), key, value, kind)
		within := append([]byte(before+"\n  metadata:\n"), text...)
		compareEdits(t, append(within, "\n- {apiVersion: v1, kind: BList}\n"...), key, value, kind)
	})
}
