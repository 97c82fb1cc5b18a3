package edit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/edit"
)

// scalars returns the scalars of a text, keys included, in the order of the text.
func scalars(t require.TestingT, text string) []*yaml.Node {
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &document))
	var found []*yaml.Node
	var walk func(*yaml.Node)
	walk = func(node *yaml.Node) {
		if node.Kind == yaml.ScalarNode {
			found = append(found, node)
		}
		for _, content := range node.Content {
			walk(content)
		}
	}
	walk(&document)
	return found
}

// In each text the value of `a` has a `!`, which must be found where it is written.
func TestScalarFindsEachByte(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"plain":                      "a: x!\n",
		"plain, no end of line":      "a: x!",
		"plain of several lines":     "a: one\n  two\n\n\n   three!\n  four\n",
		"plain, blanks":              "a:   one   \n     two !  # comment\n",
		"single quotes":              "a: 'it''s!'\n",
		"single quotes, lines":       "a: 'it\n\n  ''s\n  !'\n",
		"double quotes":              `a: "\x41\u00e4\U0001F600\t\"\\!"` + "\n",
		"double quotes, lines":       "a: \"one\n  two \\\n  three\n\n\n  \\  four!\"\n",
		"double quotes, escaped end": "a: \"one \\\n\n   two!\"\n",
		"literal":                    "a: |\n  one\n    two\n\n  three!\nb: c\n",
		"literal, blank lines first": "a: |\n\n\n  one!\n",
		"literal, keep":              "a: |+\n  one!\n\n\nb: c\n",
		"literal, strip":             "a: |-\n  one!",
		"literal, explicit":          "x:\n  a: |2\n      one\n    two!\n",
		"literal, comment":           "a: | # comment\n  one\n  two!\n",
		"literal, CRLF":              "a: |\r\n  one\r\n\r\n  two!\r\n",
		"literal, wide":              "ä: x\na: |\n  ä€😀 !\n",
		"literal, tabs":              "a: |\n  one\n  \ttwo\t!\n",
		"literal, spaces":            "a: |\n  one\n     \n  !\n",
		"folded":                     "a: >\n  one\n  two\n\n  three!\n",
		"folded, deeper":             "a: >-\n  one\n    two\n    three\n\n    four\n  five\n  !\n",
		"folded, tab":                "a: >\n  one\n  \ttwo\n  three!\n",
		"folded, CRLF":               "a: >\r\n  one\r\n  two!\r\n",
		"in a list":                  "a:\n- one\n- |\n  two!\n",
		"in flow":                    `{"a": ["one", "two!"]}`,
		"plain in flow":              "{a: [one two!, b]}",
		"with an anchor":             "a: &b 'x!'\n",
		"with a tag":                 "a: !!str |\n  x!\n",
		"behind a NEL":               "b: \"\u0085 x\"\na: x!\n",
		"folded in a list of a map":  "- x:\n  - a: >\n      one\n      two!\n",
	} {
		source := edit.New([]byte(text), 0)
		var node *yaml.Node
		for _, one := range scalars(t, text) {
			if strings.Contains(one.Value, "!") {
				node = one
			}
		}
		scalar, ok := source.Scalar(node.Line, node.Column, node.Value)
		require.True(t, ok, name)
		at := scalar.Offset(strings.Index(node.Value, "!"))
		assert.Equal(t, strings.LastIndex(text, "!"), at, name)
		line, column := source.Position(at)
		back, ok := source.Offset(line, column)
		assert.True(t, ok, name)
		assert.Equal(t, at, back, name)
	}
}

// Where the text does not say the value there is no answer.
func TestScalarRefusesWhatIsNotWrittenThere(t *testing.T) {
	t.Parallel()
	text := "a: |\n  one\nb: 'x'\nc: \"\\q\"\nd: ''\ne:\nf: >9\n"
	source := edit.New([]byte(text), 10)
	for _, c := range []struct {
		line, column int
		value        string
	}{
		{11, 4, "two\n"}, {11, 4, "one\ntwo\n"}, {11, 4, "on"}, {13, 4, "y"}, {13, 4, "xx"}, {13, 4, ""}, {14, 4, "q"},
		{15, 4, "x"}, {16, 2, ""}, {17, 4, "x"}, {3, 4, "x"}, {99, 1, "x"}, {11, 99, "x"}, {11, 0, "a"},
	} {
		_, ok := source.Scalar(c.line, c.column, c.value)
		assert.False(t, ok, "%v", c)
	}
}

func TestScalarBounds(t *testing.T) {
	t.Parallel()
	text := "name: 'it''s' # x\nport: 80\nlist: [\"a\", b]\n&k key: v\n"
	var written []string
	for _, node := range scalars(t, text) {
		scalar, ok := edit.New([]byte(text), 0).Scalar(node.Line, node.Column, node.Value)
		require.True(t, ok)
		written = append(written, text[scalar.Start:scalar.End])
	}
	assert.Equal(t, []string{"name", "'it''s'", "port", "80", "list", `"a"`, "b", "key", "v"}, written)
}

func TestByteAt(t *testing.T) {
	t.Parallel()
	const value = "one\näb\n\nlast"
	for _, c := range []struct{ line, column, want int }{
		{1, 1, 0}, {1, 3, 2}, {1, 4, 3}, {1, 99, 3}, {2, 1, 4}, {2, 2, 6}, {2, 9, 7}, {3, 1, 8}, {4, 4, 12}, {4, 5, 13},
		{9, 1, 13}, {0, 0, 0}, {2, 0, 4},
	} {
		assert.Equal(t, c.want, edit.ByteAt(value, c.line, c.column), "%v", c)
	}
	assert.Equal(t, 0, edit.ByteAt("", 1, 1))
	assert.Equal(t, 5, edit.ByteAt("a\n \t b", 2, 0), "where the text of the line begins")
}

func TestLines(t *testing.T) {
	t.Parallel()
	text := edit.New([]byte("a\r\nb\rc\u0085d\u2028e\n"), 4)
	for number, want := range []string{"a", "b", "c", "d", "e", ""} {
		assert.Equal(t, want, string(text.Line(5+number)))
	}
	assert.Nil(t, text.Line(4))
	assert.Nil(t, text.Line(11))
}

// In any text, the scalar that is found has the value, and its end is never outside of the scalar.
func FuzzScalar(f *testing.F) {
	for _, seed := range []string{
		"a: |\n  one\n   two\n\nb: >-\n  x\n  y\n", "a: \"\\x41\\\n  b\"\n'c''d': e f\n  g\n", "- >2\n    a\n\n   b\n",
		"\ufeffä: \"\\u2028\"\r\nb: |\r\n  x\r\n", "{a: [b, 'c'], \"d\": e}",
	} {
		f.Add(seed, 1, 1)
	}
	f.Fuzz(func(t *testing.T, text string, line, column int) {
		source := edit.New([]byte(text), 0)
		source.Offset(line, column)
		require.LessOrEqual(t, edit.ByteAt(text, line%100, column), len(text))
		var document yaml.Node
		if yaml.Unmarshal([]byte(text), &document) != nil || strings.Contains(text, "\ufeff") {
			return
		}
		for _, node := range scalars(t, text) {
			scalar, ok := source.Scalar(node.Line, node.Column, node.Value)
			if !ok {
				continue
			}
			require.LessOrEqual(t, 0, scalar.Start)
			require.LessOrEqual(t, scalar.Start, scalar.End)
			require.LessOrEqual(t, scalar.End, len(text))
			for at := range len(node.Value) {
				c, place := node.Value[at], scalar.Offset(at)
				if c > ' ' && c < 0x7f && place < len(text) && !strings.Contains(text, `\`) {
					require.Equal(t, c, text[place], "%q of %q in %q", at, node.Value, text)
				}
			}
		}
	})
}
