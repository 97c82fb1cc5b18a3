package load_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/load"
)

// pattern is the vendor's, as the reference gives it.
var pattern = regexp.MustCompile(`@\{[^}]+\}`)

// A string is either expanded, or reported and left unchanged; text that the vendor's pattern does not match is never
// changed.
func FuzzExpand(f *testing.F) {
	for _, seed := range []string{
		"@{a}",
		"@{ a[yaml] }",
		"@{embed: run.sh}",
		"@{embed[binary]:bin}",
		"@{}@{a}@{",
		"x@{b[raw]}y",
		"@{include: a}",
		"@{a\n}",
		"HEAD@{1}", "@{@{a}}", "@{:}", "@{[]}", "@{embed[yaml]: doc.yaml}", "@{a[yaml]", "${@}", "\xff@{a}",
	} {
		f.Add(seed, "x\n- y")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Line: 3, Column: 7}
		e := &load.Expander{Values: map[string]string{"a": value, "b": "two"}, Files: stored}
		e.Expand(node, "spec.x")
		matches := pattern.FindAllString(text, -1)
		switch {
		case len(matches) == 0:
			assert.Equal(t, text, node.Value)
			assert.Empty(t, e.Problems)
		case len(e.Failed) > 0:
			assert.Equal(t, text, node.Value)
			require.NotEmpty(t, e.Problems)
		case node.Kind == yaml.ScalarNode && node.Tag == "!!str":
			checkParts(t, text, node.Value, e.Origins[node], len(matches))
		}
		for _, p := range e.Problems {
			assert.NotContains(t, p.Message, "\n")
		}
	})
}

// checkParts checks that the parts lie in the value in order, with the text between them as it was written.
func checkParts(t *testing.T, text, value string, parts []load.Origin, directives int) {
	t.Helper()
	require.Len(t, parts, directives)
	var between strings.Builder
	at := 0
	for _, part := range parts {
		require.LessOrEqual(t, at, part.Start)
		require.LessOrEqual(t, part.Start, part.End)
		between.WriteString(value[at:part.Start])
		at = part.End
	}
	between.WriteString(value[at:])
	assert.Equal(t, pattern.ReplaceAllString(text, ""), between.String())
}

// Expanded values are the same after printing and parsing.
func FuzzPrinted(f *testing.F) {
	for _, seed := range []string{
		"a\nb\n", " a\n", "\ta\nb", "a\r\n", "a \nb \n\n", "---\na\n", "#!/bin/sh\n", "a\n\n\n", "\u2028\n", "y", "\x00\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "@{v}"}
		e := &load.Expander{Values: map[string]string{"v": value}}
		e.Expand(node, "")
		if len(e.Failed) > 0 {
			return
		}
		tree := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
			{Kind: yaml.ScalarNode, Value: "script"},
			node,
			{Kind: yaml.ScalarNode, Value: "next"},
			{Kind: yaml.ScalarNode, Value: "z"},
		}}
		printed, err := yaml.Marshal(tree)
		require.NoError(t, err)
		var back map[string]string
		require.NoError(t, yaml.Unmarshal(printed, &back), "%q", printed)
		assert.Equal(t, value, back["script"], "%q", printed)
	})
}
