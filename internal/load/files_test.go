package load_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// An older state is read like the file system: folders, templates, and the places with the label.
func TestReadOtherFiles(t *testing.T) {
	t.Parallel()
	text := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	files := fstest.MapFS{
		"plugins/db.yaml": text("name: db\nspec:\n  runner: {image: \"@{image}\"}\n" +
			"  create: [{name: a, script: \"@{embed: a.sh}\"}]\n"),
		"plugins/a.sh":        text("#!/bin/sh\n"),
		"plugins/.git/x.yaml": text("name: hidden\nspec: {runner: {image: a}}\n"),
		"sandbox.yaml":        text("name: x\nspec: {cluster: a, resources: []}\n"),
		"outside.yaml":        text("name: y\nspec: {runner: {}, create: [{name: a, script: \"@{embed: ../a.sh}\"}]}\n"),
		"not.txt":             text("text"),
	}
	read, err := load.Read([]string{"plugins", "sandbox.yaml", "new.yaml"},
		load.Options{Files: files, Label: "main:", Values: map[string]string{"image": "ubuntu"}})
	require.NoError(t, err)
	require.Empty(t, read.Results())
	require.Len(t, read.Documents, 2)
	at := krm.Place{File: "main:plugins/db.yaml", Line: 1, Column: 7}
	assert.Equal(t, at, read.Documents[0].Item.PlaceOf("metadata.name"))
	script, _ := krm.Path("spec.create[0].script").Find(read.Documents[0].Item.YNode())
	assert.Equal(t, "#!/bin/sh\n", script.Value)

	read, err = load.Read([]string{"outside.yaml"}, load.Options{Files: files, Label: "main:"})
	require.NoError(t, err)
	require.Len(t, read.Results(), 1)
	assert.Contains(t, read.Results()[0].Message, "below the folder of the document")
	assert.Equal(t, "main:outside.yaml", read.Results()[0].Place.File)
}
