package yamlprint_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	. "github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// The trees are not limited to those of texts: any node may have any comment, and any value any style. The plain printer and
// the encoder print the same.
func TestAppendTree_printsRandomTreesAsTheEncoder(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	plain := 0
	for range 100_000 {
		node := randomNode(random, 3)
		got, ok := AppendTree(nil, node)
		if !ok {
			continue
		}
		plain++
		want, err := Encode(node)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
	assert.Greater(t, plain, 5000)
}

func TestAppendTree(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a: b\n",
		"a: b c # d\nb: 1\nc: \"8080\"\nd: '*'\ne: true\nf: null\ng: 1.5\nh: \"\"\n",
		"# top\na:\n  # above b\n  # and more\n  b: c\n  d:\n  - e\n  - f: g\n    h: []\n  - {}\n  - - i\n    - j: k\n    - []\n",
		"image: registry.example.com:5000/a/b@sha256:0 # pinned\nargs:\n- --port\n- \"8080\" # quoted\n- a: b\n  # c\n  d: e\n",
		"a: '-'\nb: 2001-01-01\nc: ~\nd: yes\ne: 0x10\nf: é\ng: \"\\t\"\nh: 'a: b'\ni: !x y\n",
	} {
		node := parsed(t, text)
		node.HeadComment = "" // of the document, which the parser gives to its mapping too
		got, ok := AppendTree(nil, node)
		require.True(t, ok, text)
		assert.Equal(t, text, string(got))
	}
	for _, text := range []string{
		"a: &b c\n", "a: {b: c}\n", "a: |\n  b\n", "1: a\n", "yes: a\n", "\"a\": b\n", "a: # b\n  c: d\n",
		"a:\n- # b\n  c: d\n", "a: b\n# c\n\n", "[a]\n",
	} {
		_, ok := AppendTree(nil, parsed(t, text))
		assert.False(t, ok, text)
	}
}

func randomNode(random *rand.Rand, depth int) *yaml.Node {
	pick := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	node := &yaml.Node{Kind: yaml.MappingNode, Tag: pick("", "!!map")}
	if random.IntN(8) == 0 {
		node.Style = yaml.FlowStyle
	}
	switch kind := random.IntN(6); {
	case depth < 3 && (depth == 0 || kind < 3):
		*node = yaml.Node{
			Kind: yaml.ScalarNode, Tag: pick("!!str", "!!str", "!!str", "", "!!int", "!!bool", "!!null"),
			Value: pick("a", "b c", "1", "007", "true", "null", "", "a: b", " a", "a ", "-", "a#b", "a #b", "é", "yes", "~", "1.5", "a\nb", "'", "\""),
			Style: []yaml.Style{0, 0, 0, yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle, yaml.LiteralStyle}[random.IntN(6)],
		}
	case depth < 3 && kind < 4:
		*node = yaml.Node{Kind: yaml.SequenceNode, Tag: pick("", "!!seq"), Style: node.Style}
		for range random.IntN(3) {
			node.Content = append(node.Content, randomNode(random, depth-1))
		}
	default:
		for range random.IntN(4) {
			key := &yaml.Node{Kind: yaml.ScalarNode, Tag: pick("!!str", ""), Value: pick("a", "b", "app.kubernetes.io/name", "no", "1")}
			comment(random, key)
			node.Content = append(node.Content, key, randomNode(random, depth-1))
		}
	}
	comment(random, node)
	return node
}

// comment gives one node of ten a comment.
func comment(random *rand.Rand, node *yaml.Node) {
	switch text := []string{"# x", "# x\n# y", "#", "# x\n\n# y"}[random.IntN(4)]; random.IntN(30) {
	case 0:
		node.HeadComment = text
	case 1:
		node.LineComment = text
	case 2:
		node.FootComment = text
	}
}

func parsed(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &document))
	return document.Content[0]
}
