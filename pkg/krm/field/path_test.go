package field_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

const tree = "a:\n  b: [x, {c: y}]\n  \"d.e\": z\n  '': empty\n  f[0]: g\n  f: &f {g: 1}\n  h: *f\n  a: first\n  a: second\n"

func parsed(tb testing.TB, text string) *yaml.Node {
	tb.Helper()
	var document yaml.Node
	require.NoError(tb, yaml.Unmarshal([]byte(text), &document))
	return document.Content[0]
}

func TestPathFind(t *testing.T) {
	t.Parallel()
	root := parsed(t, tree)
	for path, want := range map[field.Path]string{
		"a.b[0]": "x", "a.b[1].c": "y", `a["d.e"]`: "z", `a[""]`: "empty", `a["f[0]"]`: "g", "a.f.g": "1", "a.h.g": "1",
		`["a"]["b"][0]`: "x", "a.a": "first",
	} {
		node, ok := path.Find(root)
		require.True(t, ok, path)
		assert.Equal(t, want, node.Value, path)
	}
	for _, path := range []field.Path{
		"b", "a.b[2]", "a.b[-1]", "a.b.c", "a[0]", "a.", "a[", "a[x]", `a["b]`, "a..b", "a.b[0].x", `a["b"`,
	} {
		_, ok := path.Find(root)
		assert.False(t, ok, path)
	}
	node, ok := field.Path("").Find(root)
	assert.True(t, ok)
	assert.Same(t, root, node)
}

func TestPathBuilding(t *testing.T) {
	t.Parallel()
	path := field.Path("").Key("metadata").Key("annotations").Key("a/b\"c").Index(1).Key("x-y_Z0").Key("")
	assert.Equal(t, field.Path(`metadata.annotations["a/b\"c"][1].x-y_Z0[""]`), path)
}

func TestPathNearest(t *testing.T) {
	t.Parallel()
	root := parsed(t, "a:\n  b: [x]\n")
	for path, line := range map[field.Path]int{"": 1, "z": 1, "a": 2, "a.z": 2, "a.b[0]": 2, "a.b[3].c": 2, "a.": 2} {
		nearest, _ := path.Nearest(root)
		assert.Equal(t, line, nearest.Line, path)
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	sorted := []field.Path{"", "a", "a[2]", "a[2].b", "a[10]", "a[10].b", "a.b", "b", "b.a"}
	for i, a := range sorted {
		for j, b := range sorted {
			assert.Equal(t, i < j, field.Compare(a, b) < 0, "%s %s", a, b)
			assert.Equal(t, i == j, field.Compare(a, b) == 0, "%s %s", a, b)
		}
	}
}

func FuzzPath(f *testing.F) {
	for _, seed := range []string{"a.b[0]", `["x\n"].c`, "[", "a..b", `[""][0]`} {
		f.Add(seed)
	}
	root := parsed(f, tree)
	f.Fuzz(func(t *testing.T, text string) {
		path := field.Path(text)
		require.Equal(t, 0, field.Compare(path, path))
		path.Find(root)
		nearest, _ := path.Nearest(root)
		require.NotNil(t, nearest)
	})
}
