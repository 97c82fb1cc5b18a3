package krm

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

func TestParseVersions(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"v1", "v1beta1", "v1alpha1"} {
		for _, form := range []string{
			"apiVersion: config.kubernetes.io/%s\nkind: ResourceList\nitems: []\n",
			"{\"apiVersion\": \"config.kubernetes.io/%s\", \"kind\": \"ResourceList\", \"items\": []}\n",
			"{apiVersion: config.kubernetes.io/%s, kind: ResourceList, items: []}\n",
			"kind: \"ResourceList\"\nitems: []\napiVersion: 'config.kubernetes.io/%s' # c\n",
			"items: [] # none\n\nkind:\n  ResourceList\napiVersion: >-\n  config.kubernetes.io/%s\n",
		} {
			src := fmt.Sprintf(form, version)
			list, err := Parse([]byte(src))
			require.NoError(t, err, src)
			assert.Empty(t, list.Items())
			assert.Equal(t, src, written(t, list))
		}
	}
}

func written(t *testing.T, list *ResourceList) string {
	t.Helper()
	var out bytes.Buffer
	n, err := list.WriteTo(&out)
	require.NoError(t, err)
	require.EqualValues(t, out.Len(), n)
	return out.String()
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, src, want string }{
		{"empty", "", `not a ResourceList: the input is empty`},
		{"comments", "# nothing\n", `not a ResourceList: the input is empty`},
		{"null document", "---\n...\n", `not a ResourceList: the input is empty`},
		{"scalar", "hello\n", `not a ResourceList: must be a mapping, not a scalar`},
		{"list", "- a\n", `not a ResourceList: must be a mapping, not a list`},
		{"JSON list", "[1]", `not a ResourceList: must be a mapping, not a list`},
		{"not YAML", head + "items:\n- a: b: c\n", `not YAML: line 4: mapping values are not allowed in this context`},
		{"tab", head + "items:\n-\ta: b\n  c: d\n", `not YAML: `},
		{"control", head + "items:\n- a: \x01\n", `not YAML: line 4, column 6: control character U+0001`},
		{"invalid UTF-8", head + "items:\n- a: \xff\n", `not YAML: invalid leading UTF-8 octet`},
		{"unknown anchor", head + "items:\n- a: *b\n", `not YAML: unknown anchor 'b' referenced`},
		{"truncated quote", head + "items:\n- a: \"b\n", `not YAML: line 4: found unexpected end of stream`},
		{"truncated key", head + "items:\n- kind: A\n  metad", `not YAML: line 5: could not find expected ':'`},
		{"truncated JSON", `{"apiVersion": "v1", "kind": "ResourceList", "items": [{"a": `, `not YAML: `},
		{"kind", "apiVersion: v1\nkind: List\nitems: []\n", `not a ResourceList: must be of apiVersion ` +
			`"config.kubernetes.io/v1" and kind "ResourceList", not apiVersion "v1" and kind "List"`},
		{"version", "apiVersion: config.kubernetes.io/v2\nkind: ResourceList\n", `not apiVersion "config.kubernetes.io/v2"`},
		{"group", "apiVersion: v1\nkind: ResourceList\nitems: []\n", `not apiVersion "v1"`},
		{"no head", "items: []\n", `not apiVersion "" and kind ""`},
		{"two documents", head + "items: []\n---\n" + head, `line 5: must be one document, but a second one starts here`},
		{"items mapping", head + "items:\n  a: b\n", "line 4: `items` must be a list, not a mapping"},
		{"items scalar", head + "items: a\n", "line 3: `items` must be a list, not a scalar"},
		{"items JSON", `{"items": {}}`, "`items` must be a list"},
		{"items twice", head + "items: []\nitems: []\n", `line 4: field "items" must not be given twice`},
		{"items twice JSON", `{"items": [], "items": []}`, `field "items" must not be given twice`},
		{"field named by a mapping", head + "? {a: b}\n: c\nitems: []\n", `line 3: a field's name must be a string, not a mapping`},
		{"item scalar", head + "items:\n- kind: A\n- b\n", `items[1] (line 5): must be an object (a mapping), not a scalar`},
		{"item null", head + "items:\n-\n", `items[0] (line 4): must be an object (a mapping), not null`},
		{"item list", head + "items:\n- - a\n", `items[0] (line 4): must be an object (a mapping), not a list`},
		{"item JSON", `{"items": [1]}`, `items[0] (line 1): must be an object (a mapping), not a scalar`},
		{"nameless", head + "items:\n- apiVersion: v1\n  kind: A\n", `items[0] (line 4), kind "A": must have metadata.name`},
		{"null name", head + "items:\n- apiVersion: v1\n  kind: A\n  metadata: {name: }\n", `must have metadata.name`},
		{"nothing known", head + "items:\n- a: b\n", `items[0] (line 4): must have apiVersion and kind and metadata.name`},
		{"nameless JSON", `{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [{"kind": "A"}]}`,
			`items[0] (line 1), kind "A": must have apiVersion and metadata.name`},
		{"config", head + "functionConfig: a\nitems: []\n", "`functionConfig` must be an object (a mapping), not a scalar"},
	} {
		list, err := Parse([]byte(test.src))
		require.ErrorContains(t, err, test.want, test.name)
		assert.Nil(t, list, test.name)
		assert.NotContains(t, err.Error(), "\n", test.name)
	}
}

// Items that orchestrators send without a complete identity are accepted.
func TestParseNameless(t *testing.T) {
	t.Parallel()
	for _, item := range []string{
		"- kind: Kustomization\n  resources: []\n",
		"- resources: []\n  metadata:\n    annotations:\n      internal.config.kubernetes.io/path: a/kustomization.yaml\n",
		"- apiVersion: v1\n  kind: List\n  items: []\n",
	} {
		list, err := Parse([]byte(head + "items:\n" + item))
		require.NoError(t, err, item)
		assert.Len(t, list.Items(), 1)
	}
}

// Junk is refused before it costs memory, which is measured while no other test runs.
func TestParseJunkCostsNoMemory(t *testing.T) {
	checkout.Slow(t, "parses lists of the largest sizes")
	junk := make([]byte, 200<<20)
	for size, patterns := range map[int][]string{
		len(junk):  {"\x00", "a: b\n", `{"a":"`, "# \n", "- a\n", "["},
		largeInput: {"a", "{", "[", "&a [*a,", "- - - - ", "\n", "# \n", "\"\n", "? ", "'", "\t", "[a, ", "a: b\n", "- a\n"},
	} {
		for _, pattern := range patterns {
			junk := junk[:size]
			for at := copy(junk, pattern); at < size; {
				at += copy(junk[at:], junk[:at])
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Parse(junk)
			runtime.ReadMemStats(&after)
			require.Error(t, err, pattern)
			assert.Less(t, len(err.Error()), 300)
			assert.NotContains(t, err.Error(), "\n")
			if size == len(junk) && size > largeInput {
				assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), pattern)
			}
		}
	}
}

func TestParseHugeItems(t *testing.T) {
	t.Parallel()
	checkout.Slow(t, "parses items of the largest sizes")
	list := head + "items:\n" + strings.Repeat("- a: 1\n", MaxItems+1)
	_, err := Parse([]byte(list))
	require.ErrorIs(t, err, errTooMany)
}

// A small document whose aliases stand for a huge one passes as it is, and cannot be expanded.
func TestBomb(t *testing.T) {
	t.Parallel()
	var bomb strings.Builder
	bomb.WriteString(head + "items:\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n  a0: &a0 [x, x]\n")
	for n := range 30 {
		fmt.Fprintf(&bomb, "  a%d: &a%d [*a%d, *a%d]\n", n+1, n+1, n, n)
	}
	var text strings.Builder // little memory until the aliases are replaced
	text.WriteString(head + "items:\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n  a: &a " + strings.Repeat("x", 1<<20) + "\n")
	for n := range 20 {
		fmt.Fprintf(&text, "  a%d: *a\n", n)
	}
	loop := head + "items:\n- &a\n  apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n  a: *a\n"
	for _, src := range []string{bomb.String(), bomb.String() + "- *a30\n", text.String(), loop} {
		list, err := Parse([]byte(src))
		if err != nil {
			require.ErrorContains(t, err, "items[0] (line 4): aliases must not stand for")
			continue
		}
		require.Equal(t, src, written(t, list))
		list.Items()[0].Annotate("a", "b")
		_, err = list.WriteTo(&bytes.Buffer{})
		require.ErrorIs(t, err, errBomb)
		_, err = list.Items()[0].Bytes()
		require.ErrorIs(t, err, errBomb)
	}
}

func TestFunctionConfig(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"", " {}", " ~", " null", " # c", "\n  {}", " &a {}"} {
		list, err := Parse([]byte(head + "functionConfig:" + src + "\nitems: []\n"))
		require.NoError(t, err)
		assert.Nil(t, list.FunctionConfig(), src)
	}
	for _, src := range []string{
		head + "functionConfig:\n  kind: C\nitems: []\n",
		head + "items: []\nfunctionConfig: {kind: C}\n",
		"{apiVersion: config.kubernetes.io/v1, kind: ResourceList, functionConfig: {kind: C}}",
		`{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "functionConfig": {"kind": "C"}}`,
		head + "x: &c\n  kind: C\nfunctionConfig: *c\n",
	} {
		list, err := Parse([]byte(src))
		require.NoError(t, err)
		require.NotNil(t, list.FunctionConfig(), src)
		assert.Equal(t, "C", Value(list.FunctionConfig(), "kind").Value)
	}
}
