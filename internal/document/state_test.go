package document_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// named returns a sandbox of a cluster, with annotations.
func named(t *testing.T, cluster, name string, annotations ...string) *document.Sandbox {
	t.Helper()
	s, problems := read(t, fmt.Sprintf("metadata: {name: %q, annotations: {%s}}\nspec: {cluster: %q}\n",
		name, strings.Join(annotations, ", "), cluster))
	require.Empty(t, problems)
	return s
}

func TestState(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]bool{"absent": true, "present": false, "": false} {
		absent, err := named(t, "c", "s", fmt.Sprintf("%s: %q", contract.StateKey, state)).IsAbsent()
		require.NoError(t, err, state)
		assert.Equal(t, want, absent, state)
	}
	absent, err := named(t, "c", "s").IsAbsent()
	require.NoError(t, err)
	assert.False(t, absent)
	for _, state := range []string{"Absent", "absent ", "gone", "true"} {
		_, err := named(t, "c", "s", fmt.Sprintf("%s: %q", contract.StateKey, state)).IsAbsent()
		require.EqualError(t, err, fmt.Sprintf("must be \"absent\" or \"present\", not %q", state))
	}
}

// The id is another one for another cluster or name, whose case does not count.
func TestDerivedID(t *testing.T) {
	t.Parallel()
	idOf := func(cluster, name string) string {
		id, err := named(t, cluster, name).ID()
		require.NoError(t, err)
		return id
	}
	assert.Equal(t, "demo", named(t, "demo", "s").Cluster())
	assert.NotEmpty(t, idOf("demo", "shop"))
	assert.Equal(t, idOf("demo", "shop"), idOf("demo", "Shop"))
	assert.NotEqual(t, idOf("demo", "shop"), idOf("demo", "shop2"))
	assert.NotEqual(t, idOf("demo", "shop"), idOf("Demo", "shop"))
	assert.NotEqual(t, idOf("a", "b-c"), idOf("a-b", "c"))
}

func TestGivenID(t *testing.T) {
	t.Parallel()
	given := func(id string) (string, error) {
		return named(t, "c", "s", fmt.Sprintf("%s: %q", contract.SandboxIDKey, id)).ID()
	}
	id, err := given("abc-1")
	require.NoError(t, err)
	assert.Equal(t, "abc-1", id)
	for _, bad := range []string{"", "1a", "A", "a-", "a_b", "a/b", strings.Repeat("a", 100)} {
		_, err := given(bad)
		require.ErrorContains(t, err, "sandbox id", bad)
	}
}

// Problems of an annotation are reported at the annotation.
func TestPathsLeadToTheAnnotations(t *testing.T) {
	t.Parallel()
	s := named(t, "c", "s", contract.StateKey+": gone", contract.SandboxIDKey+": mine")
	for want, path := range map[string]krm.Path{"gone": document.StatePath(), "mine": document.IDPath()} {
		node, ok := path.Find(s.Item.YNode())
		require.True(t, ok, path)
		assert.Equal(t, want, node.Value)
	}
}
