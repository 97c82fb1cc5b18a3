package scan

import (
	"bytes"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"

// seeds are lists in all the shapes that a scanner may get wrong.
func seeds(tb testing.TB) [][]byte {
	tb.Helper()
	archive, err := txtar.ParseFile("testdata/seeds.txtar")
	require.NoError(tb, err)
	var all [][]byte
	for _, file := range archive.Files {
		all = append(all, file.Data, bytes.TrimSuffix(file.Data, []byte("\n")),
			bytes.ReplaceAll(file.Data, []byte("\n"), []byte("\r\n")), append([]byte(ByteOrderMark), file.Data...))
	}
	return all
}

// parse returns the root of the one document in a text, nil if the parser refuses it.
func parse(src []byte) (root *yaml.Node) {
	defer func() {
		if recover() != nil {
			root = nil
		}
	}()
	var document, next yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(src))
	if decoder.Decode(&document) != nil || len(document.Content) == 0 || decoder.Decode(&next) == nil {
		return nil
	}
	return document.Content[0]
}

// identical compares trees in everything but lines and comments.
func identical(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Style != b.Style || a.Tag != b.Tag || a.Value != b.Value || a.Anchor != b.Anchor ||
		len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !identical(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

func value(mapping *yaml.Node, key string) *yaml.Node {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil
	}
	for n := 0; n+1 < len(mapping.Content); n += 2 {
		if mapping.Content[n].Value == key {
			return mapping.Content[n+1]
		}
	}
	return nil
}

func text(node *yaml.Node) string {
	if node == nil || node.Kind != yaml.ScalarNode || node.Tag == "!!null" {
		return ""
	}
	return node.Value
}

func headerOf(object *yaml.Node) Header {
	return Header{
		Repeats:    repeats(object, "apiVersion", "kind", "metadata") || repeats(value(object, "metadata"), "name", "namespace"),
		APIVersion: text(value(object, "apiVersion")), Kind: text(value(object, "kind")),
		Name: text(value(value(object, "metadata"), "name")), Namespace: text(value(value(object, "metadata"), "namespace")), Known: true,
	}
}

// repeats reports whether a mapping has one of the keys twice, or a merge key.
func repeats(mapping *yaml.Node, keys ...string) bool {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return false
	}
	seen := map[string]bool{}
	for i := 0; i < len(mapping.Content); i += 2 {
		key := mapping.Content[i].Value
		if key == "<<" || seen[key] && slices.Contains(keys, key) {
			return true
		}
		seen[key] = true
	}
	return false
}

// compare checks that the scanner gives up or agrees with the parser in everything.
func compare(t *testing.T, src []byte) {
	t.Helper()
	layout, err := List(src, 1000)
	if err != nil {
		require.ErrorIs(t, err, ErrNotPlain)
		return
	}
	objects := make([]*yaml.Node, len(layout.Items))
	for n, item := range layout.Items {
		element := parse(src[item.Start:item.End])
		if item.NeedsParse && (element == nil || element.Kind != yaml.SequenceNode || element.Style == yaml.FlowStyle ||
			len(element.Content) != 1 || element.Content[0].Kind != yaml.MappingNode) {
			return
		}
		require.NotNil(t, element, "%q", src[item.Start:item.End])
		objects[n] = element.Content[0]
	}
	root := parse(src)
	require.NotNil(t, root, "the scanner accepts what the parser refuses")
	require.Equal(t, yaml.MappingNode, root.Kind)
	require.Len(t, layout.Fields, len(root.Content)/2)
	for n, field := range layout.Fields {
		require.Equal(t, root.Content[2*n].Value, field.Name)
		if field.Name != "items" {
			single := parse(src[field.Start:field.Next])
			require.True(t, identical(single.Content[1], root.Content[2*n+1]), "field %s", field.Name)
		}
	}
	require.Equal(t, text(value(root, "apiVersion")), layout.APIVersion)
	require.Equal(t, text(value(root, "kind")), layout.Kind)
	items := value(root, "items")
	if items == nil || items.Kind != yaml.SequenceNode {
		require.Empty(t, objects)
		return
	}
	require.Len(t, objects, len(items.Content))
	for n, object := range objects {
		require.True(t, identical(object, items.Content[n]), "trees differ")
		if layout.Items[n].Known {
			require.Equal(t, headerOf(object), layout.Items[n].Header)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(compare)
}

// FuzzScanItem puts fuzzed text where an item is, so that the fuzzer does not have to find the list first.
func FuzzScanItem(f *testing.F) {
	for _, seed := range seeds(f) {
		if _, items, ok := bytes.Cut(seed, []byte("items:\n")); ok {
			f.Add(items)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		compare(t, append([]byte(head+"items:\n"), text...))
		compare(t, append(append([]byte("items:\n- kind: A\n  spec:\n"), text...), "\n- kind: B\n"...))
	})
}

// FuzzObject checks the header, and an annotation, of an object that stands alone.
func FuzzObject(f *testing.F) {
	f.Add([]byte("apiVersion: v1\nkind: A\nmetadata:\n  name: 'a'\n"))
	f.Add([]byte("apiVersion: v1\nkind: A\nmetadata:\n  annotations:\n    a: b\n  name: a\n"))
	f.Add([]byte("apiVersion: v1\na: \"\nmetadata:\n  annotations:\n    a: b\n\"\nkind: A\nmetadata:\n  name: a\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		header, ok := Object(src)
		if !ok {
			return
		}
		object := parse(src)
		require.NotNil(t, object, "the scanner accepts what the parser refuses")
		if header.Known {
			require.Equal(t, headerOf(object), header)
			if found, ok := Annotation(src, "a"); ok {
				require.Equal(t, text(value(value(value(object, "metadata"), "annotations"), "a")), string(found))
			}
		}
	})
}
