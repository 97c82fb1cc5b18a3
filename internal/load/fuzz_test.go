package load_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Whatever the bytes are, reading ends, reports the same twice, with places inside the text, and returns objects that can be
// printed and read again.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"name: a\nspec: {cluster: '@{v}'}\n",
		"name: a\nspec:\n  create: @{embed: x}\n",
		"---\n%YAML 1.2\n---\na",
		"{\"name\": 1, \"spec\": {}}",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\nname: b\nspec: &s {match: {}, x: *s}\n",
		"\ufeffspec: {<<: {forks: []}}",
		"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: [{a: b}]\n",
		"Name: a\nSPEC: {runner: {}}\n...\nx",
		"- [@{a}, @{b}]: @{c}\n",
		"name: |\n  a\nspec: \"@{y[yaml]}\"\nversion: 1\n",
		"? {a: b}\n: c\nspec: {tags: {}}\n",
		"name: &n a\nspec: {cluster: *n}\n\t",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read := func() *load.Package {
			p, err := load.Read([]string{load.Stdin}, load.Options{
				Input: strings.NewReader(text), Values: map[string]string{"v": "x\ny\n", "y": "{forks: [{a: b}]}"},
			})
			require.NoError(t, err)
			return p
		}
		first := read()
		assert.Equal(t, told(first, ""), told(read(), ""))
		lines := 1
		for _, r := range text {
			if strings.ContainsRune("\n\r\u0085\u2028\u2029", r) {
				lines++
			}
		}
		for _, r := range first.Results() {
			assert.LessOrEqual(t, r.Place.Line, lines+1)
			assert.NotContains(t, r.Message, "\n")
		}
		for _, d := range first.Documents {
			checkPlaces(t, d.Item, lines)
			printed, err := d.Item.Bytes()
			if err != nil {
				continue // aliases that lead to too much
			}
			again, err := load.Read([]string{load.Stdin}, load.Options{Input: strings.NewReader(string(printed))})
			require.NoError(t, err)
			if d.Native && d.Item.Kind() != "" {
				require.Len(t, again.Documents, 1, "%s", printed)
				assert.Equal(t, d.Item.Name(), again.Documents[0].Item.Name())
				assert.Empty(t, told(again, ""))
			}
		}
	})
}

// checkPlaces asks for places inside every scalar: they lie in the text, and the beginning of a value is at its node or
// behind it.
func checkPlaces(t *testing.T, item *krm.Item, lines int) {
	t.Helper()
	seen := map[*yaml.Node]bool{}
	var walk func(node *yaml.Node, path krm.Path)
	walk = func(node *yaml.Node, path krm.Path) {
		if seen[node] || len(seen) > 100 {
			return
		}
		seen[node] = true
		for i, content := range node.Content {
			switch {
			case node.Kind == yaml.SequenceNode:
				walk(content, path.Index(i))
			case node.Kind == yaml.MappingNode && i%2 == 1:
				walk(content, path.Key(node.Content[i-1].Value))
			}
		}
		for _, at := range []struct{ line, column int }{{1, 0}, {1, 1}, {2, 3}, {99, 99}} {
			place, known := item.PlaceInside(path, at.line, at.column)
			require.LessOrEqual(t, place.Line, lines+1)
			if whole := item.PlaceOf(path); known && at.line == 1 {
				require.LessOrEqual(t, whole.Line, place.Line, "%s", path)
			}
		}
	}
	walk(item.YNode(), "")
}
