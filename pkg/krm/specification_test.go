package krm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The specification requires items in the output, and apiVersion, kind and name in a resourceRef.

func TestWriteTo_addsMissingItems(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
	for _, c := range []struct{ name, in, out string }{
		{"absent", head, head + "items: []\n"},
		{"absent with a config", head + "functionConfig:\n  kind: A\n", head + "functionConfig:\n  kind: A\nitems: []\n"},
		{"null", head + "items: null\n", head + "items: []\n"},
		{"no value", head + "items:\n", head + "items: []\n"},
		{"empty", head + "items: [] # none\n", head + "items: [] # none\n"},
		{"JSON", `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList"}`,
			`{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[]}` + "\n"},
	} {
		list, err := Parse([]byte(c.in))
		require.NoError(t, err, c.name)
		var out strings.Builder
		_, err = list.WriteTo(&out)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.out, out.String(), c.name)
	}
}

func TestWriteTo_leavesOutIncompleteReferences(t *testing.T) {
	t.Parallel()
	item, err := NewItem([]byte("apiVersion: v1\nkind: Config\nsize: 0\n"))
	require.NoError(t, err)
	list, err := Parse([]byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"))
	require.NoError(t, err)
	list.Report(At(item, "size", Error, "must be positive"))
	var out strings.Builder
	_, err = list.WriteTo(&out)
	require.NoError(t, err)
	assert.Contains(t, out.String(), "Config size: must be positive")
	assert.NotContains(t, out.String(), "resourceRef")
	assert.NotContains(t, out.String(), "field:")
}

func TestParse_listsItemsWithoutAnIdentity(t *testing.T) {
	t.Parallel()
	const in = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: A\n- kind: B\n"
	_, err := Parse([]byte(in))
	var incomplete *ItemsError
	require.ErrorAs(t, err, &incomplete)
	var out strings.Builder
	_, err = incomplete.List.WriteTo(&out)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(out.String(), in))
	assert.Contains(t, out.String(), `items[0] (line 4), kind "A": must have metadata.name`)
	assert.Contains(t, out.String(), `items[1] (line 6), kind "B": must have apiVersion and metadata.name`)
}
