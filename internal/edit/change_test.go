package edit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// placeOf returns where the only old is in a text.
func placeOf(t *testing.T, text, old string) krm.Place {
	t.Helper()
	text = strings.TrimPrefix(text, "\ufeff")
	before, _, found := strings.Cut(text, old)
	require.True(t, found, old)
	return krm.Place{Line: 1 + strings.Count(before, "\n"), Column: len(before) - strings.LastIndexByte(before, '\n')}
}

func TestChangeSetsValuesAndKeepsOtherBytes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, at, old, want string }{
		"plain":           {"a: db@^1 # why\nb: c\n", "db", "db@^1", "a: db@1.2.0 # why\nb: c\n"},
		"single quotes":   {"a: 'db@^1'\n", "'db", "db@^1", "a: 'db@1.2.0'\n"},
		"double quotes":   {"a: \"db@^1\"\n", "\"db", "db@^1", "a: \"db@1.2.0\"\n"},
		"flow":            {"{a: db@^1, b: [c]}\n", "db", "db@^1", "{a: db@1.2.0, b: [c]}\n"},
		"JSON":            {"{\"a\": \"db@^1\"}", "\"db", "db@^1", "{\"a\": \"db@1.2.0\"}"},
		"CRLF":            {"# x\r\na:   db@^1\r\nb: c\r\n", "db", "db@^1", "# x\r\na:   db@1.2.0\r\nb: c\r\n"},
		"byte order mark": {"\ufeffa: db@^1\n", "db", "db@^1", "\ufeffa: db@1.2.0\n"},
		"an anchor":       {"a: &x db@^1\n", "&x", "db@^1", "a: &x db@1.2.0\n"},
		"documents":       {"a: 1\n---\n# c\nb: db@^1\n...\n", "db", "db@^1", "a: 1\n---\n# c\nb: db@1.2.0\n...\n"},
		"no last newline": {"a: db@^1", "db", "db@^1", "a: db@1.2.0"},
	} {
		change, err := edit.NewChange("a.yaml", []byte(c.text))
		require.NoError(t, err, name)
		require.NoError(t, change.Set(placeOf(t, c.text, c.at), c.old, "db@1.2.0"), name)
		after, err := change.Bytes()
		require.NoError(t, err, name)
		assert.Equal(t, c.want, string(after), name)
	}
}

func TestChangeRefusesWhatIsUsedElsewhere(t *testing.T) {
	t.Parallel()
	const several = "the value is used in several places (& and *)"
	for name, c := range map[string]struct {
		text string
		at   []string
		want string
	}{
		"an alias":             {"a: &x db@^1\nb: *x\n", []string{"*x"}, several},
		"an anchor":            {"a: &x db@^1\nb: *x\n", []string{"&x"}, several},
		"all uses":             {"a: &x db@^1\nb: *x\n", []string{"&x", "*x"}, ""},
		"below an anchor":      {"a: &x {p: db@^1}\nb: *x\n", []string{"db"}, several},
		"a block scalar":       {"a: |-\n  db@^1\n", []string{"|"}, "a value of several lines must be changed by hand"},
		"a template":           {"a: db@@{v}\n", []string{"db"}, "the file has another value there: a template gives it"},
		"no scalar":            {"a: [db@^1]\n", []string{"["}, "its place in a file is not known"},
		"nothing at the place": {"a: db@^1\n", []string{"@"}, "its place in a file is not known"},
	} {
		change, err := edit.NewChange("a.yaml", []byte(c.text))
		require.NoError(t, err, name)
		err = change.Try(func() (err error) {
			for _, at := range c.at {
				err = errors.Join(err, change.Set(placeOf(t, c.text, at), "db@^1", "db@1.2.0"))
			}
			return err
		})
		after, bytesErr := change.Bytes()
		require.NoError(t, bytesErr, name)
		if c.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.EqualError(t, err, c.want, name)
		assert.Equal(t, c.text, string(after), name)
	}
}

func TestChangeAnnotates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"without annotations": {"kind: S\nmetadata:\n  name: a # b\n  labels: {}\nspec: 1\n",
			"kind: S\nmetadata:\n  name: a # b\n  annotations:\n    e/k: '{\"x\"}'\n    e/l: 'v'\n  labels: {}\nspec: 1\n"},
		"at the end": {"kind: S\nmetadata:\n    name: a",
			"kind: S\nmetadata:\n    name: a\n    annotations:\n      e/k: '{\"x\"}'\n      e/l: 'v'"},
		"others": {"kind: S\nmetadata:\n  name: a\n  annotations:\n    # why\n    b: c\n",
			"kind: S\nmetadata:\n  name: a\n  annotations:\n    # why\n    e/k: '{\"x\"}'\n    e/l: 'v'\n    b: c\n"},
		"one of them": {"kind: S\nmetadata:\n  name: a\n  annotations:\n    e/l: \"w\" # c\n",
			"kind: S\nmetadata:\n  name: a\n  annotations:\n    e/k: '{\"x\"}'\n    e/l: \"v\" # c\n"},
		"flow": {"{kind: S, metadata: {name: a, labels: {}}}\n",
			"{kind: S, metadata: {name: a, annotations: {e/k: '{\"x\"}', e/l: 'v'}, labels: {}}}\n"},
		"flow with others": {"kind: S\nmetadata: {annotations: {b: c}, name: a}\n",
			"kind: S\nmetadata: {annotations: {e/k: '{\"x\"}', e/l: 'v', b: c}, name: a}\n"},
		"JSON": {`{"kind": "S", "metadata": {"name": "a"}}`,
			`{"kind": "S", "metadata": {"name": "a", "annotations": {"e/k": "{\"x\"}", "e/l": "v"}}}`},
		"CRLF": {"kind: S\r\nmetadata:\r\n  name: a\r\n",
			"kind: S\r\nmetadata:\r\n  name: a\r\n  annotations:\r\n    e/k: '{\"x\"}'\r\n    e/l: 'v'\r\n"},
	} {
		file := map[bool]string{true: "a.json", false: "a.yaml"}[name == "JSON"]
		change, err := edit.NewChange(file, []byte(c.text))
		require.NoError(t, err, name)
		at := krm.Place{Line: 1, Column: 1}
		require.NoError(t, change.Annotate(at, edit.Annotation{Key: "e/k", Value: `{"x"}`}, edit.Annotation{Key: "e/l", Value: "v"}), name)
		after, err := change.Bytes()
		require.NoError(t, err, name)
		assert.Equal(t, c.want, string(after), name)
	}
	for text, want := range map[string]string{
		"kind: S\nmetadata:\n  name: a\n  annotations: {}\n": "metadata.annotations must be a mapping with an entry, or absent, to be added to",
		"kind: S\nmetadata: &m\n  name: a\nother: *m\n":      "metadata must be a mapping with a name in one line to be added to",
		"kind: S\nmetadata:\n  labels: {}\n":                 "metadata must be a mapping with a name in one line to be added to",
	} {
		change, err := edit.NewChange("a.yaml", []byte(text))
		require.NoError(t, err)
		require.EqualError(t, change.Annotate(krm.Place{Line: 1, Column: 1}, edit.Annotation{Key: "k", Value: "v"}), want)
	}
}

// In any text, a successful change affects only the requested value.
func FuzzChange(f *testing.F) {
	for _, text := range []string{
		"kind: S\nmetadata:\n  name: a\nspec: {a: b}\n", "a: &x b\nc: *x\n", "{\"a\": \"b\"}", "a: |\n  b\n", "- a\n- b: c # d\r\n",
		"metadata: {name: 'a', annotations: {b: c}}\n---\nmetadata:\n  annotations:\n    b: c\n  name: >-\n    d\n",
	} {
		f.Add(text, 1, 1, "b", "x y")
	}
	f.Fuzz(func(t *testing.T, text string, line, column int, old, value string) {
		change, err := edit.NewChange("a.yaml", []byte(text))
		if err != nil {
			return
		}
		at := krm.Place{Line: line, Column: column}
		set := change.Try(func() error { return change.Set(at, old, value) })
		annotated := change.Try(func() error {
			return errors.Join(change.Annotate(at, edit.Annotation{Key: "k", Value: value}), change.Rename(at, old, value))
		})
		after, err := change.Bytes()
		if set != nil && annotated != nil {
			require.NoError(t, err)
			require.Equal(t, text, string(after))
		}
	})
}
