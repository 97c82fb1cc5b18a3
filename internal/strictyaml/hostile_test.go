package strictyaml_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// nest is a type as deep as a document likes.
type nest struct {
	Name  string          `json:"name"`
	Below []nest          `json:"below"`
	Named map[string]nest `json:"named"`
}

// A few lines that mean billions of values end with one problem.
func TestIntoStopsAtBombs(t *testing.T) {
	t.Parallel()
	bombs := map[string]func(level int) string{
		"lists":  func(n int) string { return fmt.Sprintf("{below: [*l%d, *l%d, *l%d, *l%d]}", n, n, n, n) },
		"merges": func(n int) string { return fmt.Sprintf("{<<: [*l%d, *l%d, *l%d, *l%d]}", n, n, n, n) },
		"maps":   func(n int) string { return fmt.Sprintf("{named: {a: *l%d, b: *l%d, c: *l%d}}", n, n, n) },
	}
	for name, line := range bombs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			text.WriteString("named:\n  l0: &l0 {name: x}\n")
			for level := range 30 {
				fmt.Fprintf(&text, "  l%d: &l%d %s\n", level+1, level+1, line(level))
			}
			var document yaml.Node
			require.NoError(t, yaml.Unmarshal([]byte(text.String()), &document))
			var target nest
			problems := strictyaml.Into(&document, "", &target)
			require.Len(t, problems, 1)
			assert.Equal(t, strictyaml.RuleAlias, problems[0].Rule)
			assert.Contains(t, problems[0].Message, "aliases must not lead to more than 100000 values")
		})
	}
}

func TestIntoDoesNotFollowAnAliasIntoItself(t *testing.T) {
	t.Parallel()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte("below: &b [{below: *b}]"), &document))
	problems := strictyaml.Into(&document, "", new(nest))
	require.Len(t, problems, 1)
	assert.Equal(t, `alias "b" must not contain itself`, problems[0].Message)
	assert.EqualValues(t, "below[0].below[0].below", problems[0].Path)
}

// Values are followed down to MaxDepth; below, one problem stands for all.
func TestIntoGoesDeep(t *testing.T) {
	t.Parallel()
	for depth, want := range map[int]int{strictyaml.MaxDepth / 2: 0, strictyaml.MaxDepth/2 + 1: 1, 4000: 1} {
		text := strings.Repeat(`{"below":[`, depth) + strings.Repeat("]}", depth)
		var document yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(text), &document))
		problems := strictyaml.Into(&document, "", new(nest))
		require.Len(t, problems, want, depth)
		for _, problem := range problems {
			assert.Equal(t, strictyaml.RuleDepth, problem.Rule)
			assert.Equal(t, "must not be nested in more than 100 lists and mappings", problem.Message)
		}
	}
}

// Where a string is due, a plain scalar is taken without a finding if and only if the loader that Kubernetes tools use
// reads the same string.
func TestStringsMeanTheSameToEveryReader(t *testing.T) {
	t.Parallel()
	words := []string{
		"a",
		"yes",
		"Yes",
		"yEs",
		"y",
		"Y",
		"n",
		"no",
		"on",
		"ON",
		"oN",
		"off",
		"true",
		"True",
		"tRue",
		"null",
		"~",
		"Null",
		"1",
		"-1",
		"+1",
		"1.0",
		".5",
		"1e3",
		"1_000",
		"0x1f",
		"0o17",
		"010",
		"0b11",
		"1__0",
		"_1",
		"0_",
		".inf",
		".NaN",
		"nan",
		"1.2.3",
		"v1",
		"1m",
		"--",
		"+",
		".",
		"..",
		"1-2",
		"1/2",
		"<<",
		"=",
		"1,000",
		"12e",
		"0xg",
		"1.",
		"-.5",
		"0.1_0",
		"2020-01-01",
		"2020-1-1",
		"2020-01-01T10:00:00Z",
		"2020-13-01",
		"12:30",
		"1:2:3",
		"12:60",
		"1:2:x",
		"localhost:80",
		"12:30.5", "1.5:30", "-12:30", "a:b", "_12:30", "12", "0", "00", "-0",
	}
	for _, word := range words {
		var theirs map[string]any
		if sigsyaml.Unmarshal([]byte("name: "+word+"\n"), &theirs) != nil {
			theirs = map[string]any{"name": 0.0} // a number that JSON has no form for
		}
		var document yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte("name: "+word+"\n"), &document))
		var ours nest
		problems := strictyaml.Into(&document, "", &ours)
		refused := false
		for _, p := range problems {
			refused = refused || p.Severity == "error"
		}
		switch theirs["name"] {
		case nil:
			assert.Empty(t, problems, "%q is null to both", word)
		case ours.Name:
			assert.False(t, refused, "%q is a string to both: %v", word, problems)
		default:
			assert.True(t, refused, "%q is %v to other readers", word, theirs["name"])
		}
	}
}

func FuzzInto(f *testing.F) {
	for _, seed := range []string{
		"{name: a, port: 1}",
		"name: &a b\ntags: [*a]\n<<: {open: true}\n",
		"staff: &s [*s]",
		"? {a: b}\n: c\n",
		"a: 1\na: 2\n",
		"owner: &o {<<: *o}",
		"prices: {on: x, 1: y, ~: z}",
		"name: !!binary eA==",
		"port: 0x10",
		"[]",
		"- - - a",
		"!%0a", // a tag with a line feed
		"{name: !!int \"a\\nb\", open: !!bool \"a\\nb\"}",
		"name: |\n yes\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var document yaml.Node
		if yaml.Unmarshal([]byte(text), &document) != nil {
			return
		}
		var first, second shop
		problems := strictyaml.Into(&document, "spec", &first)
		assert.Equal(t, problems, strictyaml.Into(&document, "spec", &second), "the same tree gives the same problems")
		assert.Equal(t, first, second)
		for _, p := range problems {
			assert.NotContains(t, p.Message, "\n")
			assert.NotEmpty(t, p.Rule)
			assert.True(t, strings.HasPrefix(string(p.Path), "spec"))
		}
		strictyaml.Into(&document, "", new(nest))
	})
}
