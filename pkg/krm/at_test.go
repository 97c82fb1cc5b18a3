package krm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func itemOf(t *testing.T, text string) *Item {
	t.Helper()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &document))
	return FromNode(document.Content[0], "a.yaml")
}

// Values are shown on one short line.
func TestAtShowsShortValues(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", longestShown)
	item := itemOf(t, "a: "+long+"\nb: "+long+"y\nc: |\n  x\nd: \"x\\ry\"\ne: 5\nf: {}\ng:\n")
	for path, want := range map[Path]any{
		"a": long, "b": nil, "c": nil, "d": nil, "e": "5", "f": nil, "g": "", "h": nil,
	} {
		assert.Equal(t, want, At(item, path, Error, "").Field.CurrentValue, path)
	}
	assert.Nil(t, At(item, "", Error, "").Field)
}

func TestAtKey(t *testing.T) {
	t.Parallel()
	item := itemOf(t, "spec:\n  form: x\n  'a b': {}\nx: &x {y: z}\nw: *x\nlist: [{form: x}]\n")
	for path, want := range map[Path]struct {
		line, column int
		key          any
	}{
		"spec.form":      {2, 3, "form"},
		`spec["a b"]`:    {3, 3, "a b"},
		"w.y":            {4, 8, "y"},
		"list[0].form":   {6, 9, "form"},
		"list[0]":        {6, 8, nil},
		"spec.none":      {2, 3, nil},
		"spec.form.none": {2, 9, nil},
		"list[7].form":   {6, 7, nil},
		"":               {1, 1, nil},
	} {
		result := AtKey(item, path, Error, "")
		assert.Equal(t, Place{File: "a.yaml", Line: want.line, Column: want.column}, result.Place, path)
		if want.key == nil {
			assert.NotContains(t, result.Tags, TargetTag, path)
			continue
		}
		assert.Equal(t, want.key, result.Field.CurrentValue, path)
		assert.Equal(t, TargetKey, result.Tags[TargetTag], path)
	}
}

// inner is a source that knows one place.
type inner struct{ named }

func (inner) Inside(node *yaml.Node, line, column int) (Place, bool) {
	return Place{File: "b.sh", Line: node.Line + line, Column: max(column, 1)}, true
}

func TestAtInside(t *testing.T) {
	t.Parallel()
	item := itemOf(t, "a: |\n  x\nb: {}\n")
	unknown := AtInside(item, "a", 3, 4, Error, "must end")
	assert.Equal(t, "line 3: must end", unknown.Message)
	assert.Equal(t, Place{File: "a.yaml", Line: 1, Column: 4}, unknown.Place)
	assert.Nil(t, unknown.Field.CurrentValue)
	assert.Equal(t, "must end", AtInside(item, "a", 0, 0, Error, "must end").Message, "no line is no line")

	known := FromSource(item.YNode(), inner{"a.yaml"})
	assert.Equal(t, Place{File: "b.sh", Line: 4, Column: 1}, AtInside(known, "a", 3, 0, Error, "must end").Place)
	assert.Equal(t, "must end", AtInside(known, "a", 3, 0, Error, "must end").Message)
	assert.Equal(t, "line 3: x", AtInside(known, "b", 3, 0, Error, "x").Message, "only scalars have an inside")
	assert.Equal(t, "line 3: x", AtInside(known, "c", 3, 0, Error, "x").Message)
}

// In a list no place is known but the file, so the line is told.
func TestAtInsideAList(t *testing.T) {
	t.Parallel()
	list, err := Parse([]byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: A\n" +
		"  metadata:\n    name: a\n    annotations: {internal.config.kubernetes.io/path: p.yaml}\n  data: |\n    x\n"))
	require.NoError(t, err)
	result := AtInside(list.Items()[0], "data", 1, 1, Error, "must be y")
	assert.Equal(t, "line 1: must be y", result.Message)
	assert.Equal(t, Place{File: "p.yaml"}, result.Place)
	assert.Equal(t, Place{File: "p.yaml"}, AtKey(list.Items()[0], "data", Error, "").Place)
}
