package krm

import (
	"bytes"
	"encoding/json"
	"errors"
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
			bytes.ReplaceAll(file.Data, []byte("\n"), []byte("\r\n")), append([]byte(byteOrderMark), file.Data...))
	}
	return all
}

// full is what the parser makes of a whole list, nil where it refuses it.
func full(src []byte) *yaml.Node {
	if text := bytes.TrimPrefix(src, []byte(byteOrderMark)); json.Valid(text) {
		root, _ := jsonTree(text)
		return root
	}
	root, _ := parseOne(src)
	return root
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

// compareScan checks that the scanner gives up or agrees with the parser in everything.
func compareScan(t *testing.T, src []byte) {
	t.Helper()
	list := &ResourceList{src: src}
	if !list.scan() {
		return
	}
	root := full(src)
	require.NotNil(t, root, "the scanner accepts what the parser refuses")
	require.Equal(t, yaml.MappingNode, root.Kind)
	require.Len(t, list.layout.fields, len(root.Content)/2)
	for n, field := range list.layout.fields {
		require.Equal(t, root.Content[2*n].Value, field.name)
	}
	if version := Value(root, "apiVersion"); version != nil && version.Kind == yaml.ScalarNode && version.Tag != "!!null" {
		require.Equal(t, version.Value, list.version)
	}
	items := Value(root, "items")
	if items == nil || items.Kind != yaml.SequenceNode {
		require.Empty(t, list.items)
		return
	}
	require.Len(t, list.items, len(items.Content))
	for n, item := range list.items {
		compareItem(t, item, items.Content[n])
	}
	require.NoError(t, list.readConfigForTest(root))
}

func (l *ResourceList) readConfigForTest(root *yaml.Node) error {
	config, err := l.configTree()
	if err != nil {
		return err
	}
	want := Value(root, "functionConfig")
	if (config == nil) != (want == nil) || want != nil && !identical(config, want) {
		return errors.New("the functionConfig differs")
	}
	return nil
}

func compareItem(t *testing.T, item *Item, want *yaml.Node) {
	t.Helper()
	require.NoError(t, item.broken)
	require.True(t, identical(item.Node(), want), "trees differ")
	require.NoError(t, item.broken)
	if !item.peeked {
		return
	}
	bare := FromNode(want, "")
	require.Equal(t, bare.APIVersion(), item.APIVersion())
	require.Equal(t, bare.Kind(), item.Kind())
	require.Equal(t, bare.Name(), item.Name())
}

func FuzzScan(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(compareScan)
}

// FuzzScanItem puts fuzzed text where an item is, so that the fuzzer does not have to find the list first.
func FuzzScanItem(f *testing.F) {
	for _, seed := range seeds(f) {
		if _, items, ok := bytes.Cut(seed, []byte("items:\n")); ok {
			f.Add(items)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		compareScan(t, append([]byte(head+"items:\n"), text...))
		compareScan(t, append(append([]byte("items:\n- kind: A\n  spec:\n"), text...), "\n- kind: B\n"...))
	})
}

// TestSeeds checks that what nobody edits comes back as it is.
func TestSeeds(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds(t) {
		compareScan(t, seed)
		list, err := Parse(seed)
		if err != nil || bytes.Contains(seed, []byte("message: old")) {
			continue
		}
		for _, item := range list.Items() {
			item.Node()
		}
		require.Equal(t, string(seed), written(t, list))
	}
}
