package document_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	sigs "sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// FuzzRewritten holds that a document keeps its canonical form however it is written again: with its keys in another
// order and its scalars in another style, and as the JSON that kustomize makes of it.
func FuzzRewritten(f *testing.F) {
	seeds, err := filepath.Glob("testdata/vectors/*/*.*")
	require.NoError(f, err)
	for i, path := range seeds {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(string(text), uint64(i))
	}
	f.Add("a: &x {k: [1, 1.5, 0x10]}\nb: {<<: *x, l: \"\\x00\"}", uint64(1))
	f.Add("- 'a''b'\n- |2\n    c\n- >-\n  d\n  e\n- \"\\u2029\\ufeff\"", uint64(2))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		var root yaml.Node
		if yaml.Unmarshal([]byte(text), &root) != nil || len(root.Content) != 1 {
			return
		}
		published := name(t, "db@1.0.0")
		first, problem := canonicalOf(published, root.Content[0])
		if problem != nil {
			require.NotContains(t, problem.String(), "\n")
			return
		}
		require.True(t, json.Valid(first), "%s", first)
		if bytes.Contains(first, []byte(`"<<":`)) {
			return // go-yaml writes a quoted "<<" without its quotes
		}
		asJSON(t, text, first)
		rewritten(t, root.Content[0], seed, first)
	})
}

// asJSON sends the text through JSON as kustomize does, where that can carry it.
func asJSON(t *testing.T, text string, first []byte) {
	t.Helper()
	var value any
	if yaml.Unmarshal([]byte(text), &value) != nil {
		return
	}
	through, err := json.Marshal(value)
	if err != nil || bytes.Contains(through, []byte(`\ufffd`)) {
		return
	}
	back, err := sigs.JSONToYAML(through)
	if err != nil {
		return // a control character: kustomize fails, too
	}
	var root yaml.Node
	require.NoError(t, yaml.Unmarshal(back, &root))
	again, problem := canonicalOf(name(t, "db@1.0.0"), root.Content[0])
	require.Nil(t, problem, "%s", back)
	require.Equal(t, string(first), string(again), "%s", back)
}

func rewritten(t *testing.T, node *yaml.Node, seed uint64, first []byte) {
	t.Helper()
	shuffle(rand.New(rand.NewPCG(seed, 0)), node, map[*yaml.Node]bool{})
	text, err := yaml.Marshal(node)
	if err != nil {
		return
	}
	var root yaml.Node
	if yaml.Unmarshal(text, &root) != nil || len(root.Content) != 1 {
		return // go-yaml does not read everything it writes
	}
	again, problem := canonicalOf(name(t, "db@1.0.0"), root.Content[0])
	require.Nil(t, problem, "%s", text)
	require.Equal(t, string(first), string(again), "%s", text)
}

// shuffle changes details that must not affect the digest: comments, the order of keys and the style of scalars and
// collections. Mappings that contain an anchor keep their order, since an alias must follow its anchor.
func shuffle(random *rand.Rand, node *yaml.Node, seen map[*yaml.Node]bool) {
	if seen[node] {
		return
	}
	seen[node] = true
	node.HeadComment, node.LineComment, node.FootComment = "", "", ""
	for _, child := range node.Content {
		shuffle(random, child, seen)
	}
	switch {
	case node.Kind == yaml.MappingNode:
		node.Style = yaml.Style(random.IntN(2)) * yaml.FlowStyle
		if !anchored(node) {
			random.Shuffle(len(node.Content)/2, func(i, j int) {
				node.Content[2*i], node.Content[2*j] = node.Content[2*j], node.Content[2*i]
				node.Content[2*i+1], node.Content[2*j+1] = node.Content[2*j+1], node.Content[2*i+1]
			})
		}
	case node.Kind == yaml.SequenceNode:
		node.Style = yaml.Style(random.IntN(2)) * yaml.FlowStyle
	case node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null":
		node.Value = "null" // go-yaml writes an empty one as a string in flow style
	case node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str":
		node.SetString(node.Value)
		node.Style = []yaml.Style{0, yaml.DoubleQuotedStyle, yaml.SingleQuotedStyle}[random.IntN(3)]
		if strings.ContainsAny(node.Value, "\r\n\u0085\u2028\u2029") {
			node.Style = yaml.DoubleQuotedStyle
		}
	}
}

func anchored(node *yaml.Node) bool {
	if node.Anchor != "" || node.Kind == yaml.AliasNode {
		return true
	}
	for _, child := range node.Content {
		if anchored(child) {
			return true
		}
	}
	return false
}

// TestNumbersAsJavaScriptWritesThem compares with encoding/json, which formats floats as ECMAScript does but for the
// zero it leaves in a one-digit exponent, on many random numbers.
func TestNumbersAsJavaScriptWritesThem(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	published := name(t, "db@1.0.0")
	for range 20_000 {
		value := random.NormFloat64() * pow10(random.IntN(60)-30)
		text, err := json.Marshal(value)
		require.NoError(t, err)
		canonical, problem := canonicalOf(published, &yaml.Node{Kind: yaml.ScalarNode, Value: string(text)})
		require.Nil(t, problem)
		require.Equal(t, `{"name":"db","spec":`+string(text)+`,"version":"1.0.0"}`, string(canonical))
	}
}

func pow10(exponent int) float64 {
	value := 1.0
	for range max(exponent, -exponent) {
		value *= 10
	}
	if exponent < 0 {
		return 1 / value
	}
	return value
}

func BenchmarkOf(b *testing.B) {
	text, err := os.ReadFile("testdata/vectors/hello/block.yaml")
	require.NoError(b, err)
	root, published := parse(b, string(text)), name(b, "hello-db@1.2.0")
	b.ReportAllocs()
	for b.Loop() {
		if _, problem := document.Digest(published, root); problem != nil {
			b.Fatal(problem)
		}
	}
}
