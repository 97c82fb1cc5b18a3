package krm

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const (
	itemA = "- apiVersion: v1\n  kind: A # c\n  metadata:\n    name: a\n"
	itemB = "- apiVersion: v1\n  kind: B\n  metadata:\n    name: b\n    annotations:\n      x: \"1\" # one\n"
)

func annotate(n int, pairs ...string) func(*ResourceList) error {
	return func(l *ResourceList) error {
		for p := 0; p < len(pairs); p += 2 {
			l.Items()[n].Annotate(pairs[p], pairs[p+1])
		}
		return nil
	}
}

func unannotate(n int, keys ...string) func(*ResourceList) error {
	return func(l *ResourceList) error {
		for _, key := range keys {
			l.Items()[n].Unannotate(key)
		}
		return nil
	}
}

func set(n int, path Path, value string) func(*ResourceList) error {
	return func(l *ResourceList) error { return l.Items()[n].Set(path, value) }
}

func appendText(texts ...string) func(*ResourceList) error {
	return func(l *ResourceList) error {
		for _, text := range texts {
			item, err := NewItem([]byte(text))
			if err != nil {
				return err
			}
			l.Append(item)
		}
		return nil
	}
}

func remove(numbers ...int) func(*ResourceList) error {
	return func(l *ResourceList) error {
		var gone []*Item
		for _, n := range numbers {
			gone = append(gone, l.Items()[n])
		}
		l.Remove(gone...)
		return nil
	}
}

func report(results ...Result) func(*ResourceList) error {
	return func(l *ResourceList) error {
		l.Report(results...)
		return nil
	}
}

const newItem = "apiVersion: v1\nkind: N\nmetadata:\n  name: n\ndata:\n  a: |\n    x\n\n    y\n"

// TestSplices says what becomes of which bytes. Of src and want, head is left out.
func TestSplices(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, src string
		do        func(*ResourceList) error
		want      string
	}{
		{"annotate", "items:\n" + itemA + itemB, annotate(0, "k", "v"),
			"items:\n" + strings.TrimSuffix(itemA, "\n") + "\n    annotations:\n      k: v\n" + itemB},
		{"annotate more", "items:\n" + itemB + "  spec: {}\n", annotate(0, "k", "v", "l", "2", "x", "1"),
			"items:\n" + itemB + "      k: v\n      l: \"2\"\n  spec: {}\n"},
		{"annotate again", "items:\n" + itemB, annotate(0, "x", "2"), "items:\n" + strings.Replace(itemB, `"1"`, `"2"`, 1)},
		{"annotate the same", "items:\n" + itemB, annotate(0, "x", "2", "x", "1"), "items:\n" + itemB},
		{"wide indentation", "items:\n    - apiVersion: v1\n      kind: A\n      metadata:\n          name: a # n\n\n      spec:\n          a: b\n",
			annotate(0, "k", "v"),
			"items:\n    - apiVersion: v1\n      kind: A\n      metadata:\n          name: a # n\n          annotations:\n              k: v\n\n      spec:\n          a: b\n"},
		{"empty annotations", "items:\n- kind: A\n  apiVersion: v1\n  metadata:\n    annotations: {} # none\n    name: a\n", annotate(0, "k", "v"),
			"items:\n- kind: A\n  apiVersion: v1\n  metadata:\n    annotations: # none\n      k: v\n    name: a\n"},
		{"null annotations", "items:\n- kind: A\n  apiVersion: v1\n  metadata:\n    annotations:\n    name: a\n", annotate(0, "k", "v"),
			"items:\n- kind: A\n  apiVersion: v1\n  metadata:\n    annotations:\n      k: v\n    name: a\n"},
		{"flow annotations", "items:\n- {apiVersion: v1, kind: AList}\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n    annotations: {a: b} # c\n",
			annotate(1, "k", "1"),
			"items:\n- {apiVersion: v1, kind: AList}\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n    annotations: {a: b, k: \"1\"} # c\n"},
		{"flow metadata", "items:\n- apiVersion: v1\n  kind: A # c\n  metadata: {name: a}\n", annotate(0, "k", "v"),
			"items:\n- apiVersion: v1\n  kind: A # c\n  metadata: {name: a, annotations: {k: v}}\n"},
		{"no metadata", "items:\n- apiVersion: v1\n  kind: AList\n  spec: a\n", annotate(0, "k", "v"),
			"items:\n- apiVersion: v1\n  kind: AList\n  metadata:\n    annotations:\n      k: v\n  spec: a\n"},
		{"block scalar last", "items:\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n    annotations:\n      d: |+\n        text\n\n- apiVersion: v1\n  kind: BList\n",
			annotate(0, "k", "v"),
			"items:\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n    annotations:\n      d: |+\n        text\n\n      k: v\n- apiVersion: v1\n  kind: BList\n"},
		{"replace a block scalar", "items:\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n    annotations:\n      d: | # h\n        text\n        # t\n      e: f\n",
			annotate(0, "d", "v w"),
			"items:\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n    annotations:\n      d: \"v w\"\n      e: f\n"},
		{"unannotate", "items:\n" + itemB + "      y: >-\n        text\n      # of z\n      z: 1\n", unannotate(0, "y"),
			"items:\n" + itemB + "      # of z\n      z: 1\n"},
		{"unannotate the last", "items:\n" + itemB + itemA, unannotate(0, "x", "none"),
			"items:\n" + strings.Replace(itemB, "    annotations:\n      x: \"1\" # one\n", "", 1) + itemA},
		{"set", "items:\n" + itemA + "  spec:\n    resources:\n    - plugin:   db   # c\n      name: x\n", set(0, "spec.resources[0].plugin", "db@1.0.0"),
			"items:\n" + itemA + "  spec:\n    resources:\n    - plugin:   db@1.0.0   # c\n      name: x\n"},
		{"set keeps quotes", "items:\n" + itemA + "  a: 'it''s'\n  b: \"x\"\n", func(l *ResourceList) error {
			return errors.Join(set(0, "a", "that's")(l), set(0, "b", "y")(l))
		}, "items:\n" + itemA + "  a: 'that''s'\n  b: \"y\"\n"},
		{"set a string where a number was", "items:\n" + itemA + "  a: 1\n", set(0, "a", "1"), "items:\n" + itemA + "  a: \"1\"\n"},
		{"set the same", "items:\n" + itemA + "  a: 'b'\n", set(0, "a", "b"), "items:\n" + itemA + "  a: 'b'\n"},
		{"set null", "items:\n" + itemA + "  a:\n  b: ~\n  c: # c\n", func(l *ResourceList) error {
			return errors.Join(set(0, "a", "x")(l), set(0, "b", "y")(l), set(0, "c", "")(l))
		}, "items:\n" + itemA + "  a: x\n  b: \"y\"\n  c: \"\" # c\n"},
		{"set in flow", "items:\n" + itemA + "  a: [b, {c: d}] # c\n", set(0, "a[1].c", "x, y"), "items:\n" + itemA + "  a: [b, {c: \"x, y\"}] # c\n"},
		{"set a folded plain text", "items:\n" + itemA + "  a: b\n    c # d\n  e: f\n", set(0, "a", "x"), "items:\n" + itemA + "  a: x # d\n  e: f\n"},
		{"set behind text", "items:\n" + itemA + "  é: {ü: \"ä\", ö: x}\n", set(0, `["é"]["ö"]`, "y"), "items:\n" + itemA + "  é: {ü: \"ä\", ö: \"y\"}\n"},
		{"append", "items:\n" + itemA + "results: []\n", appendText(newItem, "apiVersion: v1\nkind: M\nmetadata:\n  name: m"),
			"items:\n" + itemA + "- apiVersion: v1\n  kind: N\n  metadata:\n    name: n\n  data:\n    a: |\n      x\n\n      y\n- apiVersion: v1\n  kind: M\n  metadata:\n    name: m\nresults: []\n"},
		{"append to empty", "items: []\nother: x\n", appendText(newItem),
			"items:\n- apiVersion: v1\n  kind: N\n  metadata:\n    name: n\n  data:\n    a: |\n      x\n\n      y\nother: x\n"},
		{"append to null", "items: # c\n", appendText("kind: NList\napiVersion: v1\n"), "items: # c\n- kind: NList\n  apiVersion: v1\n"},
		{"append to nothing", "other: x", appendText("kind: NList\napiVersion: v1\n"), "other: x\nitems:\n- kind: NList\n  apiVersion: v1\n"},
		{"append indented", "items:\n  - apiVersion: v1\n    kind: AList\n\n# end\n", appendText("kind: NList\napiVersion: v1\n"),
			"items:\n  - apiVersion: v1\n    kind: AList\n  - kind: NList\n    apiVersion: v1\n\n# end\n"},
		{"append behind an open end", "items:\n- apiVersion: v1\n  kind: AList\n  a: |\n    x", appendText("kind: NList\napiVersion: v1\n"),
			"items:\n- apiVersion: v1\n  kind: AList\n  a: |-\n    x\n- kind: NList\n  apiVersion: v1\n"},
		{"append to flow", "items: [{apiVersion: v1, kind: AList}]\nother: {a: b}\n", appendText("kind: NList\napiVersion: v1\n"),
			"other: {a: b}\nitems:\n- {apiVersion: v1, kind: AList}\n- kind: NList\n  apiVersion: v1\n"},
		{"remove", "items:\n# of a\n" + itemA + "\n# apart\n\n# of b\n" + itemB + "# end\n", remove(1), "items:\n# of a\n" + itemA + "\n# apart\n\n# end\n"},
		{"remove the first", "items:\n# of a\n" + itemA + "# of b\n" + itemB, remove(0), "items:\n# of b\n" + itemB},
		{"remove all", "items:\n" + itemA + itemB + "other: x\n", remove(0, 1), "items: []\nother: x\n"},
		{"remove and append", "items:\n" + itemA + "\n", func(l *ResourceList) error {
			return errors.Join(remove(0)(l), appendText("kind: NList\napiVersion: v1\n")(l))
		}, "items:\n- kind: NList\n  apiVersion: v1\n\n"},
		{"replace", "items:\n" + itemA + itemB, func(l *ResourceList) error {
			item, err := NewItem([]byte("apiVersion: v1\nkind: NList\n"))
			l.Replace(l.Items()[0], item)
			return err
		}, "items:\n- apiVersion: v1\n  kind: NList\n" + itemB},
		{"replace by the same", "items:\n-   apiVersion: v1\n    kind: A\n    metadata:\n      name: a # c\n", func(l *ResourceList) error {
			item, err := NewItem([]byte("apiVersion: v1\nkind: A\nmetadata:\n  name: a # c\n"))
			l.Replace(l.Items()[0], item)
			return err
		}, "items:\n-   apiVersion: v1\n    kind: A\n    metadata:\n      name: a # c\n"},
		{"results", "items: []\n", report(Result{Message: "a must be b: c", Severity: Warning}),
			"items: []\nresults:\n- message: \"a must be b: c\"\n  severity: warning\n"},
		{"results over old ones", "results:\n- message: old\n# c\nitems: []\n", report(Result{Message: "new"}), "results:\n- message: new\n# c\nitems: []\n"},
		{"old results go", "items: []\nresults:\n- message: old\n# c\n", report(), "items: []\n# c\n"},
		{"results before the end mark", "items: []\n...\n# c\n", report(Result{Message: "new"}), "items: []\nresults:\n- message: new\n...\n# c\n"},
		{"results behind an open end", "items: []", report(Result{Message: "new"}), "items: []\nresults:\n- message: new\n"},
		{"anchors across items", "items:\n- apiVersion: v1\n  kind: AList\n  x: &x [1,\n    2]\n  y: z # keep\n" + itemB + "  a: *x\n", annotate(1, "k", "v"),
			"items:\n- apiVersion: v1\n  kind: AList\n  x: &x [1,\n    2]\n  y: z # keep\n" + itemB + "      k: v\n  a: *x\n"},
		{"an anchor that goes", "items:\n- apiVersion: v1\n  kind: AList\n  x: &x [1,\n    2]\n- apiVersion: v1\n  kind: BList\n  a: *x\n", remove(0),
			"items:\n- apiVersion: v1\n  kind: BList\n  a: [1, 2]\n"},
		{"an edited anchor", "items:\n- apiVersion: v1\n  kind: AList\n  x: &x 1\n- apiVersion: v1\n  kind: BList\n  a: *x\n", set(0, "x", "2"),
			"items:\n- apiVersion: v1\n  kind: AList\n  x: \"2\"\n- apiVersion: v1\n  kind: BList\n  a: 1\n"},
		{"an edited alias", "items:\n- apiVersion: v1\n  kind: AList\n  x: &x 1\n  y: *x # c\n", set(0, "y", "2"),
			"items:\n- apiVersion: v1\n  kind: AList\n  x: 1\n  y: \"2\" # c\n"},
	} {
		for _, eol := range []string{"\n", "\r\n"} {
			src := strings.ReplaceAll(head+test.src, "\n", eol)
			list, err := Parse([]byte(src))
			require.NoError(t, err, test.name)
			require.NoError(t, test.do(list), test.name)
			got := written(t, list)
			assert.Equal(t, head+test.want, strings.ReplaceAll(got, "\r", ""), test.name)
			if list.layout != nil {
				assert.Equal(t, strings.Count(got, "\n"), strings.Count(got, eol), "%s: line ends", test.name)
			}
			assert.Equal(t, got, written(t, list), "%s: written twice", test.name)
		}
	}
}

// A value in the way of annotations is an error, not lost.
func TestAnnotateInTheWay(t *testing.T) {
	t.Parallel()
	for _, meta := range []string{"metadata: a", "metadata:\n  - a", "metadata:\n    annotations: [a]", "metadata:\n    annotations: a"} {
		list, err := Parse([]byte(head + "items:\n- apiVersion: v1\n  kind: AList\n  " + meta + "\n"))
		require.NoError(t, err)
		list.Items()[0].Annotate("a", "b")
		_, err = list.WriteTo(&strings.Builder{})
		require.ErrorContains(t, err, "must be a mapping to be annotated")
	}
}

func TestSetErrors(t *testing.T) {
	t.Parallel()
	item, err := NewItem([]byte(newItem))
	require.NoError(t, err)
	for _, path := range []Path{"", "data", "data.b", "data[0]", "metadata.annotations.x", "a..b"} {
		require.ErrorContains(t, item.Set(path, "x"), "there is no scalar to set", path)
	}
}

func TestItemSeesEdits(t *testing.T) {
	t.Parallel()
	item, err := NewItem([]byte(newItem))
	require.NoError(t, err)
	item.Annotate("a", "1")
	item.Annotate("b", "2")
	item.Unannotate("b")
	require.NoError(t, item.Set("metadata.name", "m"))
	require.NoError(t, item.Set(`["kind"]`, "O"))
	require.NoError(t, item.Set(`metadata.annotations["a"]`, "3"))
	value, ok := item.Annotation("a")
	assert.True(t, ok)
	assert.Equal(t, "3", value)
	_, ok = item.Annotation("b")
	assert.False(t, ok)
	assert.Equal(t, ResourceRef{APIVersion: "v1", Kind: "O", Name: "m"}, item.Ref())
	assert.Equal(t, "n", Value(Value(item.Node(), "metadata"), "name").Value)
	text, err := item.Bytes()
	require.NoError(t, err)
	assert.Equal(t, "apiVersion: v1\nkind: O\nmetadata:\n  name: m\n  annotations:\n    a: \"3\"\ndata:\n  a: |\n    x\n\n    y\n", string(text))
}

func TestBytes(t *testing.T) {
	t.Parallel()
	const object = "apiVersion: v1\nkind: A # c\nmetadata:\n  name: a\nx:\n- |\n  y\n\n  z\n- \"q\n\n  r\"\n"
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(object), &document))
	list, err := Parse([]byte(head + "items:\n  -   " + strings.ReplaceAll(strings.TrimSpace(object), "\n", "\n      ") + "\n"))
	require.NoError(t, err)
	raw, err := NewItem([]byte(strings.TrimSuffix(object, "\n")))
	require.NoError(t, err)
	json, err := Parse([]byte(`{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [` +
		`{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}, "x": ["y\n\nz\n", "q\nr"]}]}`))
	require.NoError(t, err)
	for _, test := range []struct {
		item *Item
		want string
	}{
		{raw, object},
		{list.Items()[0], strings.ReplaceAll(object, "\n\n", "\n      \n")},
		{FromNode(document.Content[0], "a.yaml"), strings.Replace(object, "\"q\n\n  r\"", "\"q\\nr\"", 1)},
		{json.Items()[0], "{\"apiVersion\": \"v1\", \"kind\": \"A\", \"metadata\": {\"name\": \"a\"}, \"x\": [\"y\\n\\nz\\n\", \"q\\nr\"]}\n"},
	} {
		got, err := test.item.Bytes()
		require.NoError(t, err)
		assert.Equal(t, strings.ReplaceAll(test.want, "\n      \n", "\n\n"), strings.ReplaceAll(string(got), "\n      \n", "\n\n"))
	}
}

func TestNewList(t *testing.T) {
	t.Parallel()
	item, err := NewItem([]byte(newItem))
	require.NoError(t, err)
	assert.Equal(t, head+"items: []\n", written(t, NewList()))
	text := written(t, NewList(item))
	list, err := Parse([]byte(text))
	require.NoError(t, err)
	assert.Equal(t, text, written(t, list))
	object, err := list.Items()[0].Bytes()
	require.NoError(t, err)
	assert.Equal(t, newItem, string(object))
}
