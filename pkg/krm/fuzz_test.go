package krm

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"

// seeds are lists in all the shapes that a scanner may get wrong.
var seeds = []string{
	head + "items: []\n",
	head + "items:\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n",
	head + "items:\n  # one\n  - apiVersion: v1\n    kind: A\n    metadata: {name: a}\n  # two\n\n  - kind: B\n    metadata:\n      name: \"b\n c\n\nd\"\n    x: 'it''s\nlong'\n",
	head + "items:\n- kind: A\n  s: |2\n      a\n     b\n\n  t: >-\n    c\n    d\n  u: |+\n    e\n\n\n- kind: B\n",
	head + "items:\n- &a\n  kind: A\n  b: &x 1\n- kind: B\n  c: *x\n- *a\n",
	strings.ReplaceAll(head+"items:\n- kind: A\n  s: |\n    a\n\n    b\n  p: x\n    y\n", "\n", "\r\n"),
	"\ufeff# c\n---\n" + head + "items:\n-\n  kind: A\n- # c\n  kind: B\n- - x\n...\n# end\n",
	head + "items:\n- kind: A\t# tab\n  s: |\n    \ta\n  t: \"\ta\tb\"\n",
	head + "items: [{kind: A, metadata: {name: a}}]\n",
	`{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[{"kind":"A\/b"}]}`,
	head + "items:\n-\n- {}\n- null\n- kind: A\n",
	head + "items:\n- kind: A\n  metadata:\n    na",
	head + "functionConfig:\n  a: b\n  c:\n  - d\n  - e: f\n    g:\n    - h\nitems:\n- a:\n  - b\n  - c:\n      d\n  e: f\nother: |\n  x\nresults:\n- message: old\n",
	head + "items:\n- kind: A\n  args: [\"a\", b, 'c', {d: e, f: [1, -2]}]\n  m: {}\n  l: []\n  k: {a: b:c, \"d\":\"e\"}\n",
	"---\n" + head + "items:\n- a: b\n---\nitems: []\n",
	head + "items:\n- kind: >\n\n   x\n  name: a # b\n  y: - z\n  ? q\n  : r\n",
	head + "items:\n- kind: A\n  \"k\\u0069nd\": B\n  'x': y\n  z: !!str 1\n  <<: {a: b}\n",
}

// full is what the parser makes of a whole list: its items, nil where it is not one.
func full(src []byte) (root *yaml.Node) {
	root, err := parseOne(src)
	if err != nil {
		return nil
	}
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
		return errBomb
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
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(compareScan)
}

// FuzzScanItem puts fuzzed text where an item is, so that the fuzzer does not have to find the list first.
func FuzzScanItem(f *testing.F) {
	for _, seed := range seeds {
		if _, items, ok := strings.Cut(seed, "items:\n"); ok {
			f.Add([]byte(items))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		compareScan(t, append([]byte(head+"items:\n"), text...))
		compareScan(t, append(append([]byte("items:\n- kind: A\n  spec:\n"), text...), "\n- kind: B\n"...))
	})
}

func TestSeeds(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds {
		compareScan(t, []byte(seed))
		list, err := Parse([]byte(seed))
		if err != nil {
			t.Logf("%q: %v", seed[:min(len(seed), 90)], err)
			continue
		}
		var out bytes.Buffer
		_, err = list.WriteTo(&out)
		require.NoError(t, err)
		if !strings.Contains(seed, "message: old") {
			require.Equal(t, seed, out.String())
		}
	}
}
