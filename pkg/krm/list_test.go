package krm

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func parsed(t *testing.T, text string) *yaml.Node {
	t.Helper()
	root, err := parseOne([]byte(text))
	require.NoError(t, err)
	return root
}

func TestSelect(t *testing.T) {
	t.Parallel()
	list, err := Parse(workloads())
	require.NoError(t, err)
	chosen, err := list.Select("v1", "Service", "ConfigMap")
	require.NoError(t, err)
	assert.Len(t, chosen, len(list.Items())/3*2)
	for _, item := range chosen {
		assert.NotNil(t, item.tree)
	}
	chosen, err = list.Select("v1", "Deployment")
	require.NoError(t, err)
	assert.Empty(t, chosen)
	chosen, err = list.Select("apps/v1", "Deployment", "Deployment")
	require.NoError(t, err)
	assert.Len(t, chosen, len(list.Items())/3)
}

// Peeks and trees may be asked for from everywhere at once.
func TestConcurrentReaders(t *testing.T) {
	t.Parallel()
	list, err := Parse(sandboxes(50))
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for _, item := range list.Items() {
				assert.Equal(t, "Sandbox", item.Kind())
				assert.Equal(t, "demo", Value(Value(item.YNode(), "spec"), "cluster").Value)
			}
		})
	}
	group.Wait()
}

func TestListChanges(t *testing.T) {
	t.Parallel()
	list, err := Parse(sandboxes(3))
	require.NoError(t, err)
	a, b, c := list.Items()[0], list.Items()[1], list.Items()[2]
	list.Remove(b)
	d, err := NewItem([]byte("apiVersion: v1\nkind: D\nmetadata:\n  name: d\n"))
	require.NoError(t, err)
	list.Replace(c, d)
	list.Replace(b, a)
	list.Append(b)
	assert.Equal(t, []*Item{a, d, b}, list.Items())
	again, err := Parse([]byte(written(t, list)))
	require.NoError(t, err)
	require.Len(t, again.Items(), 3)
	for n, name := range []string{"sandbox-0", "d", "sandbox-1"} {
		assert.Equal(t, name, again.Items()[n].Name())
	}
	text, err := b.Bytes()
	require.NoError(t, err)
	moved, err := again.Items()[2].Bytes()
	require.NoError(t, err)
	assert.Equal(t, string(text), string(moved))
}

func TestNewItemErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":             "there is no document",
		"a":            "must be an object (a mapping), not a scalar",
		"- a\n":        "must be an object (a mapping), not a list",
		"a: b: c\n":    "not YAML: ",
		"a\n---\nb\n":  "must be one document",
		"a: \"b\n":     "not YAML: ",
		"a: b\n  c: d": "not YAML: ",
	} {
		_, err := NewItem([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
	for _, text := range []string{
		"{a: b}", "---\na: b\n", "\ufeffa: b\n", "%YAML 1.1\n---\na: b\n", "a: &x b\nc: *x\n", "a:\r  b\n", "? a\n: b\n",
	} {
		item, err := NewItem([]byte(text))
		require.NoError(t, err, text)
		list := NewList(item, item)
		root := parsed(t, written(t, list))
		assert.True(t, equal(Value(root, "items").Content[1], item.YNode()), text)
	}
}

// An anchor that another item refers to makes the parser read the whole list; an edit of one item stays its own.
func TestAnchorsAcrossItems(t *testing.T) {
	t.Parallel()
	src := head + "items:\n- apiVersion: v1\n  kind: AList\n  a: &a b # c\n- apiVersion: v1\n  kind: AList\n  a: *a\n"
	list, err := Parse([]byte(src))
	require.NoError(t, err)
	require.NotNil(t, list.root)
	assert.Equal(t, src, written(t, list))
	require.NoError(t, list.Items()[1].Set("a", "d"))
	assert.Equal(t, strings.Replace(src, "*a", "d", 1), written(t, list))
}

func TestAnnotationIsFoundHoweverItsKeyIsWritten(t *testing.T) {
	t.Parallel()
	for _, key := range []string{`a.dev/x`, `"a.dev/x"`, `'a.dev/x'`, `"a.dev\u002fx"`, `"a.dev/\x78"`} {
		item, err := NewItem([]byte("apiVersion: v1\nkind: A\nmetadata:\n  name: a\n  annotations:\n    " + key + ": found\n"))
		require.NoError(t, err)
		value, ok := item.Annotation("a.dev/x")
		assert.True(t, ok, key)
		assert.Equal(t, "found", value, key)
	}
}

func TestAnnotationThatCannotBeThereCostsNoParse(t *testing.T) {
	t.Parallel()
	item, err := NewItem([]byte("apiVersion: v1\nkind: A\nmetadata:\n  name: a\n  annotations:\n    a.dev/y: text\n"))
	require.NoError(t, err)
	_, ok := item.Annotation("a.dev/x")
	assert.False(t, ok)
	assert.Nil(t, item.tree)
	item.Annotate("a.dev/x", "text")
	value, ok := item.Annotation("a.dev/x")
	assert.True(t, ok)
	assert.Equal(t, "text", value)
}

// An annotation is read from the text of a printed object. However else it is written, the parser decides.
func TestAnnotationIsReadFromTextAsTheParserDoes(t *testing.T) {
	t.Parallel()
	const before = "apiVersion: v1\ndata:\n  annotations: metadata\nkind: A\n"
	for annotations, isParsed := range map[string]bool{
		"a.dev/w: v\n    a.dev/x: db@1.1.0\n    a.dev/y: sha256:01": false,
		`a.dev/x: "1"`:                        false,
		"a.dev/x: v\n    a.dev/x: w":          false, // the first one counts
		"a.dev/w: is /not a.dev/x":            true,
		"a.dev/x: null":                       true,
		"a.dev/x: two words":                  true,
		"a.dev/x: v # comment":                true,
		"a.dev/x: v\n      goes-on":           true,
		"a.dev/x: |\n      v":                 true,
		"a.dev/x:\n      v":                   true,
		"a.dev/x: \"a\\x20b\"":                true,
		"a.dev/w: \"\n    a.dev/x: v\n    \"": true,
		"a.dev/w: |\n      text\n      a.dev/x: v\n    a.dev/x: w": true,
		"a.dev/x: 'it''s'":                      true,
		"a.dev/w: v\n  labels:\n    a.dev/x: v": false,
	} {
		requireParsed(t, isParsed, before+"metadata:\n  annotations:\n    "+annotations+"\n  name: a\n")
	}
	const text = "metadata:\n  annotations:\n    a.dev/x: v\n"
	for _, object := range []string{
		before + "a: \"\n" + text + "\"\nmetadata:\n  name: a\n",
		before + "a: '\n" + text + "'\nmetadata:\n  name: a\n",
		before + "metadata:\n  name: a\na: \"\n" + text + "\"\n",
	} {
		requireParsed(t, true, object)
	}
	requireParsed(t, false, "apiVersion: v1\nkind: A\n"+text+"spec:\n  template:\n    metadata:\n      a.dev/x: w\n")
}

// requireParsed requires that the annotation a.dev/x of an object is that of the parser, and says whether it was called.
func requireParsed(t *testing.T, isParsed bool, object string) {
	t.Helper()
	item, err := NewItem([]byte(object))
	require.NoError(t, err, object)
	value, ok := item.Annotation("a.dev/x")
	assert.Equal(t, isParsed, item.parsed.Load(), object)
	parsed, err := NewItem([]byte(object))
	require.NoError(t, err)
	require.NoError(t, parsed.Parse())
	want, wantOK := parsed.Annotation("a.dev/x")
	assert.Equal(t, want, value, object)
	assert.Equal(t, wantOK, ok, object)
}
