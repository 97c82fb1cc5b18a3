package load_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// embedding has the mark `!` in each place that is looked for below.
const embedding = `
-- plugin.yaml --
# a comment
---
name: p
spec:
  runner:
    image: ubuntu
    podTemplateOverlay: |
      spec:
        containers: !
  create:
  - name: whole
    script: "@{embed: ./run.sh}"
  - name: between
    script: |
      echo before@{v}!
      @{embed: run.sh}
      echo @{v} ! after
  - name: folded
    script: >
      #!/bin/sh
      echo !
  - "@{embed[yaml]: step.yaml}"
  - name: binary
    script: "@{embed[binary]: run.sh}"
  - name: "@{v}"
    script: "@{s}"
  - "@{t[yaml]}"
-- run.sh --
#!/bin/sh
echo ä !
-- step.yaml --
name: embedded
script: |
  #!/bin/sh
  echo !
inputs: [{nam: x}]
`

func TestPlacesInside(t *testing.T) {
	t.Parallel()
	dir := archive(t, embedding)
	read, err := load.Read([]string{filepath.Join(dir, "plugin.yaml")}, load.Options{
		Values: map[string]string{"v": "1\n2", "s": "x\n!", "t": "{name: t, script: \"!\"}"},
	})
	require.NoError(t, err)
	require.Empty(t, read.Results())
	item := read.Documents[0].Item
	for _, c := range []struct {
		path  krm.Path
		mark  int // which `!` of the value
		want  string
		known bool
	}{
		{"spec.runner.podTemplateOverlay", 0, "plugin.yaml:9:21", true},
		{"spec.create[0].script", 1, "run.sh:2:8", true},
		{"spec.create[1].script", 0, "plugin.yaml:15:22", true},
		{"spec.create[1].script", 2, "run.sh:2:8", true},
		{"spec.create[1].script", 3, "plugin.yaml:17:17", true},
		{"spec.create[2].script", 1, "plugin.yaml:21:12", true},
		{"spec.create[3].script", 1, "step.yaml:4:8", true},
		{"spec.create[5].script", 0, "plugin.yaml:26:14", false},
		{"spec.create[6].script", 0, "plugin.yaml:27:5", false},
	} {
		node, ok := c.path.Find(item.YNode())
		require.True(t, ok)
		line, column := lineColumn(t, node.Value, c.mark)
		place, known := item.PlaceInside(c.path, line, column)
		assert.Equal(t, c.want, shortly(dir, place), "%s %d", c.path, c.mark)
		assert.Equal(t, c.known, known, "%s %d", c.path, c.mark)
	}
	place, known := item.PlaceInside("spec.create[4].script", 1, 3)
	assert.Equal(t, "plugin.yaml:24:14", shortly(dir, place), "base64 is written in no file")
	assert.False(t, known)
	place, known = item.PlaceInside("spec.create[0].script", 99, 99)
	assert.Equal(t, "run.sh:3:1", shortly(dir, place), "what is behind the end is the end")
	assert.True(t, known)
	place, known = item.PlaceInside("spec.nothing", 1, 1)
	assert.Equal(t, "plugin.yaml:5:3", shortly(dir, place))
	assert.False(t, known)
}

// A finding about a value that was embedded as YAML is where that value is written; one about a script that a directive
// stands for is where the directive is.
func TestPlacesOfEmbeddedTrees(t *testing.T) {
	t.Parallel()
	dir := archive(t, embedding)
	read, err := load.Read([]string{filepath.Join(dir, "plugin.yaml")}, load.Options{
		Values: map[string]string{"v": "1", "s": "x", "t": "{name: t, script: \"!\"}"},
	})
	require.NoError(t, err)
	item := read.Documents[0].Item
	for path, want := range map[krm.Path]string{
		"spec.create[0].script":        "plugin.yaml:12:13",
		"spec.create[3]":               "step.yaml:1:1",
		"spec.create[3].name":          "step.yaml:1:7",
		"spec.create[3].inputs[0].nam": "step.yaml:5:16",
		"spec.create[3].outputs":       "step.yaml:1:1",
		"spec.create[6].name":          "plugin.yaml:27:5",
	} {
		assert.Equal(t, want, shortly(dir, item.PlaceOf(path)), path)
	}
	result := krm.AtKey(item, "spec.create[3].inputs[0].nam", krm.Error, "x")
	assert.Equal(t, "step.yaml:5:11", shortly(dir, result.Place))
	assert.Equal(t, "nam", result.Field.CurrentValue)
	assert.NotEmpty(t, read.Text(filepath.Join(dir, "step.yaml")), "the texts that places point into are at hand")
	assert.NotEmpty(t, read.Text(filepath.Join(dir, "plugin.yaml")))
	assert.Nil(t, read.Text("nothing"))
}

// Where variables gave the text the message tells the line, since no file can.
func TestResultsInsideVariables(t *testing.T) {
	t.Parallel()
	dir := archive(t, "-- s.yaml --\nname: a\nspec:\n  cluster: \"@{c}\"\n")
	read, err := load.Read([]string{dir}, load.Options{Values: map[string]string{"c": "1\n2"}})
	require.NoError(t, err)
	result := krm.AtInside(read.Documents[0].Item, "spec.cluster", 2, 0, krm.Error, "must be 3")
	assert.Equal(t, "line 2: must be 3", result.Message)
	assert.Equal(t, "s.yaml:3:13", shortly(dir, result.Place))
}

// Objects of other tools keep their bytes, and still have places.
func TestPlacesOfForeignObjects(t *testing.T) {
	t.Parallel()
	dir := archive(t, "-- a.yaml --\n# first\n---\napiVersion: v1\nkind: A\n---\n\napiVersion: v1\nkind: ConfigMap\n"+
		"metadata:\n  name: c\ndata:\n  x: |\n    one\n    two\n")
	read, err := load.Read([]string{dir}, load.Options{})
	require.NoError(t, err)
	require.Len(t, read.Documents, 2)
	assert.Equal(t, "a.yaml:3:1", shortly(dir, read.Documents[0].Item.PlaceOf("")))
	item := read.Documents[1].Item
	assert.Equal(t, "a.yaml:10:9", shortly(dir, item.PlaceOf("metadata.name")))
	place, known := item.PlaceInside("data.x", 2, 2)
	assert.True(t, known)
	assert.Equal(t, "a.yaml:14:6", shortly(dir, place))
}

// archive writes the files of a text into a new folder.
func archive(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for part := range strings.SplitSeq(text, "-- ") {
		name, content, found := strings.Cut(part, " --\n")
		if found {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
		}
	}
	return dir
}

// lineColumn returns where in a value its mark of a number is.
func lineColumn(t *testing.T, value string, number int) (line, column int) {
	t.Helper()
	at := -1
	for range number + 1 {
		next := strings.IndexByte(value[at+1:], '!')
		require.GreaterOrEqual(t, next, 0, "%q", value)
		at += 1 + next
	}
	before := value[:at]
	return strings.Count(before, "\n") + 1, len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
}

func shortly(dir string, place krm.Place) string {
	return strings.TrimPrefix(fmt.Sprintf("%s:%d:%d", place.File, place.Line, place.Column), dir+"/")
}
