package document_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// The digest of a document does not change after kustomize has read and written it, whatever characters it contains, unless
// kustomize rejects the document.
func TestOf_isTheSameBehindKustomize(t *testing.T) {
	t.Parallel()
	checkout.Slow(t, "runs kustomize for each document")
	random := checkout.Random(t)
	alphabet := []rune("ab  \n\n\t\r:#\"'\\\u0080\u0085\u00a0\u2028\u2029\ufeff\ufffd\x00\x1b\x7f😀")
	kept, refused := 0, 0
	for range 4000 {
		text := make([]rune, random.IntN(9))
		for i := range text {
			text[i] = alphabet[random.IntN(len(alphabet))]
		}
		written := fmt.Sprintf("apiVersion: a/v1\nkind: B\nmetadata: {name: c}\nspec: {create: [{script: %+q}]}\n", "x"+string(text))
		before, problem := document.Digest(name(t, "db@1.0.0"), specIn(t, written))
		if problem != nil {
			assert.Contains(t, string(text), "\u0085", problem.Message)
			refused++
			continue
		}
		disk := filesys.MakeFsInMemory()
		require.NoError(t, disk.WriteFile("/k/kustomization.yaml", []byte("resources: [a.yaml]\n")))
		require.NoError(t, disk.WriteFile("/k/a.yaml", []byte(written)))
		built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(disk, "/k")
		if err != nil {
			continue // it refuses control characters, there or when it writes them
		}
		out, err := built.AsYaml()
		if err != nil {
			continue
		}
		after, problem := document.Digest(name(t, "db@1.0.0"), specIn(t, string(out)))
		require.Nil(t, problem)
		assert.Equal(t, before, after, "%q", string(text))
		kept++
	}
	assert.Greater(t, min(kept, refused), 500)
}

// specIn returns the spec of an object.
func specIn(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var object struct{ Spec yaml.Node }
	require.NoError(t, yaml.Unmarshal([]byte(text), &object))
	return &object.Spec
}
