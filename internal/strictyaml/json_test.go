package strictyaml_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

func TestIsJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, text string
		want       bool
	}{
		{"a.json", "a: b", true},
		{"main:x/a.json", "", true},
		{"a.yaml", `{"a": 1}`, false},
		{"a.yml", `{"a": 1}`, false},
		{"<stdin>", " \n{\"a\": 1}\n", true},
		{"<stdin>", "{a: 1}", false},
		{"<stdin>", "a: 1", false},
		{"plugin", `["a"]`, false},
	} {
		assert.Equal(t, c.want, strictyaml.IsJSON(c.file, []byte(c.text)), "%s %s", c.file, c.text)
	}
}

// JSON texts that YAML readers do not accept.
func TestParseJSON_readsAllOfJSON(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		`"\ud83d\ude00"`:         "😀",
		`"x\uD83D\uDE00y"`:       "x😀y",
		`"a\/b"`:                 "a/b",
		`"\u0085\u2028"`:         "\u0085\u2028",
		"\"\u0085\u2028\u2029\"": "\u0085\u2028\u2029",
		"\"\x7f\"":               "\x7f",
		`"\\ud83d"`:              `\ud83d`,
	} {
		root, problem := strictyaml.ParseJSON([]byte("{\n\t\"a\":\t" + written + "\n}"))
		require.Nil(t, problem, written)
		assert.Equal(t, want, root.Content[1].Value)
		assert.Equal(t, [2]int{2, 7}, [2]int{root.Content[1].Line, root.Content[1].Column}, written)
	}
}

func TestParseJSON_reportsPlaces(t *testing.T) {
	t.Parallel()
	const half = `must not be half of a surrogate pair: a character above U+FFFF takes two escapes in JSON, such as \ud83d\ude00`
	for text, want := range map[string]struct {
		line, column int
		message      string
	}{
		"{\n  \"ä\": 1,\n}":                  {3, 1, "must be valid JSON: invalid character '}' looking for beginning of object key string"},
		"{\"ä\u2028\": nul}":                 {1, 11, "must be valid JSON: invalid character '}' in literal null (expecting 'l')"},
		"{\"a\": 1":                          {1, 7, "must be valid JSON: unexpected end of JSON input"},
		"{\"a\": 1}\n{\"b\": 2}":             {2, 1, "must be valid JSON: invalid character '{' after top-level value"},
		"{\"a\": \"\\ud83d\"}":               {1, 8, half},
		"{\"a\": \"x\\ude00\"}":              {1, 9, half},
		"{\"a\": \"\\ud83d\\u0041\"}":        {1, 8, half},
		"{\"a\": \"\\ud83d\\ude00\\ud83d\"}": {1, 20, half},
	} {
		root, problem := strictyaml.ParseJSON([]byte(text))
		assert.Nil(t, root, text)
		require.NotNil(t, problem, text)
		assert.Equal(t, want.message, problem.Message)
		assert.Equal(t, [2]int{want.line, want.column}, [2]int{problem.Line, problem.Column}, text)
	}
	root, problem := strictyaml.ParseJSON([]byte(" \n"))
	assert.Nil(t, root)
	assert.Nil(t, problem)
}

// The tree of a JSON text that YAML readers take is the one that they read, with the same places.
func TestParseJSON_agreesWithYAML(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	for range 2000 {
		text := randomJSON(random, 3)
		require.True(t, json.Valid([]byte(text)), text)
		want, problem := strictyaml.Parse([]byte(text))
		require.Nil(t, problem, text)
		got, problem := strictyaml.ParseJSON([]byte(text))
		require.Nil(t, problem, text)
		assert.Equal(t, summary(want), summary(got), text)
	}
}

// summary lists the properties of nodes that readers of a tree use.
func summary(node *yaml.Node) (all []any) {
	all = append(all, node.Kind, node.ShortTag(), node.Value, node.Line, node.Column)
	for _, child := range node.Content {
		all = append(all, summary(child)...)
	}
	return all
}

func randomJSON(random *rand.Rand, depth int) string {
	blank := func() string { return []string{"", " ", "\n", "\n  ", "\r\n "}[random.IntN(5)] }
	scalars := []string{`""`, `"a b"`, `"größe 数据"`, `"😀"`, `"a\nb\t\"\\"`, `"\u00e9"`, "0", "-1.5", "12e3", "true", "false", "null"}
	kind := random.IntN(3)
	if depth == 0 || kind == 0 && depth < 3 {
		return scalars[random.IntN(len(scalars))]
	}
	parts := make([]string, random.IntN(4))
	for i := range parts {
		if kind == 1 {
			parts[i] = scalars[random.IntN(5)] + " : " + blank() // YAML has the colon on the line of the key
		}
		parts[i] = blank() + parts[i] + randomJSON(random, depth-1) + blank()
	}
	open, end := "[", "]"
	if kind == 1 {
		open, end = "{", "}"
	}
	return open + strings.Join(parts, ",") + blank() + end
}
