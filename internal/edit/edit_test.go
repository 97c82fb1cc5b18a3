package edit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/edit"
)

// swap replaces the only old in a text.
func swap(t *testing.T, text, old, by string) (string, error) {
	t.Helper()
	at := strings.Index(strings.TrimPrefix(text, "\ufeff"), old)
	require.GreaterOrEqual(t, at, 0)
	changed, err := edit.Apply("a.yaml", []byte(text), []edit.Edit{{From: at, To: at + len(old), Text: by}})
	return string(changed), err
}

func TestApply(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, old, by string }{
		{"# x\nform: a # y\r\n---\nb:   c\n", "form", "from"},
		{"a: 'b'\n", "'b'", `"c"`},
		{"a: yes\n", "yes", `"yes"`},
		{"{\"a\": [1, 2]}", "2", "3"},
		{"\ufeffa: b\nc: d\n", "b", "x"},
		{"\ufeffa: b\nc: d\n", "c", "x"},
		{"a: |\n  text\nb: c\n", "c", "d"},
	} {
		changed, err := swap(t, c.text, c.old, c.by)
		require.NoError(t, err, c.text)
		assert.Equal(t, strings.Replace(c.text, c.old, c.by, 1), changed)
	}
}

func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	const other = "the change would touch more than the value it is for"
	for _, c := range []struct{ text, old, by, want string }{
		{"a: b\nc: d\n", "b", "b\ne: f", other},
		{"a: b\nc: d\n", "a: b", "a: c", other},
		{"a: b\n", "b", "[b]", other},
		{"a: b # c\n", "b", "\"b", other},
		{"a: b\nc: d\n", "c", "a", "the key is there already"},
		{"a: &x b\nc: *x\n", "b", "d", other},
		{"a: b\nc: [\n", "b", "d", "the file must be valid to be changed: yaml: line 2: did not find expected node content"},
		{"a: b # c\n", "# c", "# d", other},
	} {
		_, err := swap(t, c.text, c.old, c.by)
		require.EqualError(t, err, c.want, c.text)
	}
	_, err := edit.Apply("a.yaml", []byte("abc: d\n"), []edit.Edit{{From: 0, To: 3, Text: "x"}, {From: 1, To: 2, Text: "y"}})
	require.EqualError(t, err, "two changes must not touch the same bytes")
}

// In JSON, U+2028 ends no line, and two escapes may be one character.
func TestApply_json(t *testing.T) {
	t.Parallel()
	const text = "{\n \"a\u2028\": \"x\\ud83d\\ude00\\/\", \"b\": \"\\ud83d\\ude00\", \"c\": [1, \"d\"]\n}\n"
	source := edit.NewFile("a.json", []byte(text))
	for _, c := range []struct {
		column             int
		value, written, by string
	}{
		{2, "a\u2028", "\"a\u2028\"", `"z"`},
		{8, "x\U0001F600/", `"x\ud83d\ude00\/"`, `"y"`},
		{27, "b", `"b"`, `"e"`},
		{32, "\U0001F600", `"\ud83d\ude00"`, `""`},
		{54, "1", "1", "2"},
		{57, "d", `"d"`, `"\ud83d\ude01"`},
	} {
		scalar, ok := source.Scalar(2, c.column, c.value)
		require.True(t, ok, c.value)
		require.Equal(t, c.written, text[scalar.Start:scalar.End])
		changed, err := edit.Apply("a.json", []byte(text), []edit.Edit{{From: scalar.Start, To: scalar.End, Text: c.by}})
		require.NoError(t, err)
		assert.Equal(t, [2]string{text[:scalar.Start], text[scalar.End:]},
			[2]string{string(changed[:scalar.Start]), string(changed[scalar.Start+len(c.by):])}, c.value)
		_, err = edit.Apply("a.json", []byte(text), []edit.Edit{{From: scalar.Start, To: scalar.End, Text: "plain"}})
		require.EqualError(t, err, "the change would touch more than the value it is for")
	}
}

// The same change twice is one change.
func TestApplySeveral(t *testing.T) {
	t.Parallel()
	changed, err := edit.Apply("a.yaml", []byte("a: b\nc: d\n"), []edit.Edit{
		{From: 8, To: 9, Text: "D"}, {From: 0, To: 1, Text: "A"}, {From: 8, To: 9, Text: "D"},
	})
	require.NoError(t, err)
	assert.Equal(t, "A: b\nc: D\n", string(changed))
}

// A replacement changes only one scalar of the result, or is rejected.
func FuzzApply(f *testing.F) {
	f.Add("a: b\nc: [d, 'e']\n", 1, "x")
	f.Add("- |\n  x\n- \"y\"\n", 1, "z: z")
	f.Fuzz(func(t *testing.T, text string, pick int, by string) {
		var before, after yaml.Node
		if yaml.Unmarshal([]byte(text), &before) != nil {
			return
		}
		found := scalars(t, text)
		if len(found) == 0 {
			return
		}
		node := found[(pick%len(found)+len(found))%len(found)]
		scalar, ok := edit.New([]byte(text), 0).Scalar(node.Line, node.Column, node.Value)
		if !ok {
			return
		}
		changed, err := edit.Apply("a.yaml", []byte(text), []edit.Edit{{From: scalar.Start, To: scalar.End, Text: by}})
		if err != nil {
			return
		}
		require.NoError(t, yaml.Unmarshal(changed, &after))
		require.Equal(t, text[:scalar.Start], string(changed[:scalar.Start]))
		require.True(t, strings.HasSuffix(string(changed), text[scalar.End:]))
		require.Len(t, scalars(t, string(changed)), len(found))
	})
}
