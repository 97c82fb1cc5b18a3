package krm

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm/field"
	"github.com/resource-plugins/krm-functions/pkg/krm/internal/scan"
)

const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"

// seeds are the lists that the scanner is tested with.
func seeds(tb testing.TB) [][]byte {
	tb.Helper()
	archive, err := txtar.ParseFile("internal/scan/testdata/seeds.txtar")
	require.NoError(tb, err)
	var all [][]byte
	for _, file := range archive.Files {
		all = append(all, file.Data, bytes.TrimSuffix(file.Data, []byte("\n")),
			bytes.ReplaceAll(file.Data, []byte("\n"), []byte("\r\n")), append([]byte(scan.ByteOrderMark), file.Data...))
	}
	return all
}

// full returns the parser's tree of a whole list, or nil if the parser rejects it.
func full(src []byte) *yaml.Node {
	if text := bytes.TrimPrefix(src, []byte(scan.ByteOrderMark)); json.Valid(text) {
		root, _ := jsonTree(text)
		return root
	}
	root, _ := parseOne(src)
	return root
}

// TestSeeds checks that unchanged lists keep their bytes, and that their trees are those of a full parse.
func TestSeeds(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds(t) {
		list, err := Parse(seed)
		if err != nil || bytes.Contains(seed, []byte("message: old")) {
			continue
		}
		compareItems(t, list, full(seed))
		require.Equal(t, string(seed), written(t, list))
	}
}

// compareItems compares the items of a list with those in a tree of it.
func compareItems(t *testing.T, list *ResourceList, root *yaml.Node) {
	t.Helper()
	require.NotNil(t, root)
	items := Value(root, "items")
	if items == nil || items.Kind != yaml.SequenceNode {
		require.Empty(t, list.Items())
		return
	}
	require.Len(t, items.Content, len(list.Items()))
	for n, item := range list.Items() {
		require.True(t, equal(items.Content[n], item.YNode()), "items[%d]", n)
		require.NoError(t, item.err)
	}
}

// compareEdits checks that edits of the first item come out as its tree says, that all other bytes stay, and that the
// same edits again change nothing.
func compareEdits(t *testing.T, src []byte, key, value string, kind int) {
	t.Helper()
	list, err := Parse(src)
	if err != nil || len(list.Items()) == 0 {
		return
	}
	item := list.Items()[0]
	if _, err := expand(item.YNode()); err != nil {
		return
	}
	err = editForTest(item, key, value, kind)
	var buffer bytes.Buffer
	if item.err != nil || errors.Is(err, errBomb) {
		return
	}
	require.NoError(t, err)
	_, err = list.WriteTo(&buffer)
	require.NoError(t, err)
	out := buffer.Bytes()
	require.NotNil(t, full(out), "%q became %q", src, out)
	compareItems(t, list, full(out))
	for _, other := range list.Items()[1:] {
		if list.layout != nil && bytes.HasSuffix(list.src, []byte("\n")) {
			require.True(t, bytes.Contains(out, other.raw), "%q is not in %q", other.raw, out)
		}
	}
	object, err := item.Bytes()
	require.NoError(t, err)
	alone, err := parseOne(object)
	require.NoError(t, err, "%q", object)
	require.True(t, equal(alone, item.YNode()), "%q stands alone as %q", src, object)

	again, err := Parse(out)
	if err != nil {
		require.ErrorContains(t, err, "must have")
		return
	}
	require.NoError(t, editForTest(again.Items()[0], key, value, kind))
	require.Equal(t, string(out), written(t, again))
}

func editForTest(item *Item, key, value string, kind int) error {
	switch kind & 7 {
	case 0:
		item.Annotate(key, value)
		item.Annotate(key+"2", value)
	case 1:
		item.Unannotate(key)
	case 2:
		item.Annotate(key, value)
		item.Unannotate("a")
		return item.Set("kind", value)
	case 3:
		for _, path := range slices.Backward(scalarPaths(item.YNode(), "", 0)) {
			if err := item.Set(path, value); err != nil {
				return err
			}
		}
	default:
		paths := scalarPaths(item.YNode(), "", 0)
		return item.Set(paths[int(uint8(kind>>3))%len(paths)], value)
	}
	return nil
}

// scalarPaths lists the scalars that a path can name: it knows keys that are strings, and of equal ones the first.
func scalarPaths(node *yaml.Node, at Path, depth int) []Path {
	if depth > 20 {
		return nil
	}
	switch node = field.Dereference(node); node.Kind {
	case yaml.ScalarNode:
		if at == "" {
			return nil
		}
		return []Path{at}
	case yaml.MappingNode:
		var paths []Path
		for n := 0; n+1 < len(node.Content); n += 2 {
			if key := node.Content[n]; key.ShortTag() == stringTag && field.KeyIndex(node, key.Value) == n {
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
