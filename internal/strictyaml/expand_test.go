package strictyaml_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

func TestExpand(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text, want string
		problem    string
	}{
		"aliases":              {"a: &a [1, 2]\nb: *a", "a: [1, 2]\nb: [1, 2]\n", ""},
		"its own keys win":     {"a: &a {x: 1, y: 2}\nb: {<<: *a, x: 3}", "a: {x: 1, y: 2}\nb: {x: 3, y: 2}\n", ""},
		"earlier ones win":     {"a: &a {x: 1}\nb: &b {x: 2, y: 3}\nc: {<<: [*a, *b]}", "a: {x: 1}\nb: {x: 2, y: 3}\nc: {x: 1, y: 3}\n", ""},
		"a quoted << is a key": {"a: {'<<': 1}", "a: {'<<': 1}\n", ""},
		"a merge of a number":  {"a: {<<: 1, x: 2}", "a: {x: 2}\n", `s.a["<<"]: must be a mapping to merge, or a list of them, not the number 1`},
		"too many": {
			"a: &a [" + strings.Repeat("1, ", 999) + "]\nb: [" + strings.Repeat("*a, ", 101) + "]", "",
			"s.b[100]: aliases must not lead to more than 100000 values in one document",
		},
		"too much text": {
			"a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a, ", 7) + "]", "",
			"s.b[4]: aliases must not lead to more than 4194304 bytes of text in one document",
		},
		"itself": {"a: &a [1, *a]", "", `s.a[1][1]: alias "a" must not contain itself`},
	}
	for name, c := range cases {
		var document yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(c.text), &document))
		expanded, problems := strictyaml.Expand(document.Content[0], "s")
		if c.problem != "" {
			require.Len(t, problems, 1, name)
			assert.Equal(t, c.problem, problems[0].String(), name)
		} else {
			assert.Empty(t, problems, name)
		}
		if c.want != "" {
			text, err := yaml.Marshal(expanded)
			require.NoError(t, err, name)
			assert.Equal(t, c.want, string(text), name)
		}
	}
}

// A tree that needs no expansion is not copied, and one that does is left as it is.
func TestExpandCopiesOnDemand(t *testing.T) {
	t.Parallel()
	plain, shared := &yaml.Node{}, &yaml.Node{}
	require.NoError(t, yaml.Unmarshal([]byte("a: [1, 2]"), plain))
	require.NoError(t, yaml.Unmarshal([]byte("a: &a [1, 2]\nb: *a"), shared))
	expanded, _ := strictyaml.Expand(plain, "")
	assert.Same(t, plain, expanded)
	_, problems := strictyaml.Expand(shared, field.Path(""))
	assert.Empty(t, problems)
	b, _ := field.Path("b").Find(shared.Content[0])
	assert.Equal(t, "a", b.Anchor, "the alias still leads to the anchored value")
}
