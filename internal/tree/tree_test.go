package tree_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/tree"
)

func parse(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &document))
	return document.Content[0]
}

func printed(t *testing.T, node *yaml.Node) string {
	t.Helper()
	text, err := yaml.Marshal(node)
	require.NoError(t, err)
	return string(text)
}

func TestEditsLeaveTheOriginalAlone(t *testing.T) {
	t.Parallel()
	const text = "# head\na: 1 # one\nb:\n    c: 2\nd: [x]\n"
	node := parse(t, text)
	before := printed(t, node)
	for _, c := range []struct {
		name, want string
		edited     *yaml.Node
	}{
		{"set", "# head\na: 2 # one\nb:\n    c: 2\nd: [x]\n", tree.Set(node, tree.Int(2), "a")},
		{"the same", before, tree.Set(node, tree.Int(1), "a")},
		{"add", before + "e: x\n", tree.Set(node, tree.Text("x"), "e")},
		{"add below", "# head\na: 1 # one\nb:\n    c: 2\n    new:\n        m: true\nd: [x]\n", tree.Set(node, tree.Bool(true), "b", "new", "m")},
		{"remove", "# head\na: 1 # one\nd: [x]\n", tree.Without(node, "b")},
		{"remove nothing", before, tree.Without(node, "z")},
		{"update nothing", before, tree.Update(node, func(n *yaml.Node) *yaml.Node { return n }, "z", "y")},
		{"through a scalar", "# head\na:\n    z: x\nb:\n    c: 2\nd: [x]\n", tree.Set(node, tree.Text("x"), "a", "z")},
	} {
		assert.Equal(t, c.want, printed(t, c.edited), c.name)
		assert.Equal(t, before, printed(t, node), c.name)
	}
}

// Every reader takes Text for the string that it is.
func TestTextIsAString(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "a", "yes", "No", "on", "y", "null", "~", "1", "0x1f", "1e3", "12:30:45", "a: b", "a:", "a#b", "a #b", "- a", "@a", "*a",
		"a\nb", " a", "a ", "true", "image:1", "docker.io/a/b@sha256:00", "/bin/sh", "2020-01-01", "$(X)", "ünï", "=", "<<", ".5", "-",
	} {
		out := printed(t, tree.Map(tree.Field{Key: "k", Value: tree.Text(text)}))
		var three, two map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(out), &three), out)
		require.NoError(t, kyaml.Unmarshal([]byte(out), &two), out)
		assert.Equal(t, text, three["k"], out)
		assert.Equal(t, text, two["k"], out)
	}
}

func TestPlainHasNoAliases(t *testing.T) {
	t.Parallel()
	plain, err := tree.Plain(parse(t, "base: &b {x: 1, y: 2}\nuse: *b\nmerged: {<<: *b, y: 3}\ntwo: {<<: [*b, {z: 4}]}\n"))
	require.NoError(t, err)
	assert.YAMLEq(t, "{base: {x: 1, y: 2}, use: {x: 1, y: 2}, merged: {y: 3, x: 1}, two: {x: 1, y: 2, z: 4}}", printed(t, plain))
	assert.NotContains(t, printed(t, plain), "*")
	same := parse(t, "a: 1")
	plain, err = tree.Plain(same)
	require.NoError(t, err)
	assert.Same(t, same, plain)
}

func TestBombsAreRefused(t *testing.T) {
	t.Parallel()
	text := "a0: &a0 [x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		text += "a" + string(rune('1'+i)) + ": &a" + string(rune('1'+i)) + " ["
		for range 8 {
			text += "*a" + string(rune('0'+i)) + ", "
		}
		text += "]\n"
	}
	_, err := tree.Plain(parse(t, text))
	assert.ErrorIs(t, err, tree.ErrTooLarge)
}

func TestEqualMeansTheSameToKubectl(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"{a: 1, b: 2}", "{b: 2, a: 1}"}, {"0x10", "16"}, {"yes", "true"}, {"1.0", "1.00"}, {"null", "~"}, {"'a'", "\"a\""},
		{"{metadata: {b: [1, 2]}}", "metadata:\n  b:\n  - 1\n  - 2\n"},
		{"!!bool ''", "false"},
	} {
		assert.True(t, tree.Equal(parse(t, c[0]), parse(t, c[1])), c)
	}
	for _, c := range [][2]string{
		{"[1, 2]", "[2, 1]"}, {"'1'", "1"}, {"'yes'", "yes"}, {"{a: 1}", "{a: 1, b: 2}"}, {"{a: 1}", "{b: 1}"}, {"a", "b"}, {"[]", "{}"},
	} {
		assert.False(t, tree.Equal(parse(t, c[0]), parse(t, c[1])), c)
	}
}
