package load_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

func TestRead_reportsFilesThatKustomizationsLack(t *testing.T) {
	t.Parallel()
	text := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	files := fstest.MapFS{
		"shop/kustomization.yaml": text("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n" +
			"- plugins/db.yaml\n- sandboxes/gone.yaml\n- ../base\n- https://example.org/x.yaml\n- github.com/example/base?ref=v1\n" +
			"components: [parts/gone, plugins]\ntransformers:\n- gone.yaml\n- |-\n  apiVersion: v1\n  kind: Any\n"),
		"shop/plugins/db.yaml":      text("name: db\nspec:\n  runner: {image: a}\n  create: [{name: a, script: ls}]\n"),
		"web/kustomization.yaml":    text("resources: [gone.yaml]\n"),
		"base/kustomization.yaml":   text("resources: []\n"),
		"broken/kustomization.yaml": text("resources: [\n"),
	}
	read, err := load.Read([]string{"."}, load.Options{Files: files, Label: "main:"})
	require.NoError(t, err)
	var found []string
	for _, result := range read.Results() {
		assert.Equal(t, krm.Warning, result.Severity)
		assert.Equal(t, "main:shop/kustomization.yaml", result.Place.File)
		found = append(found, result.Message)
	}
	assert.Equal(t, []string{
		`resources[1]: there is no file or folder "sandboxes/gone.yaml", so kustomize fails: remove the entry`,
		`components[0]: there is no file or folder "parts/gone", so kustomize fails: remove the entry`,
		`transformers[0]: there is no file or folder "gone.yaml", so kustomize fails: remove the entry`,
	}, found)
	assert.Equal(t, 5, read.Results()[0].Place.Line)
}
