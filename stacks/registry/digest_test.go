package registry_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/stacks/registry"
)

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: caches.example.org, labels: {a: b}}
spec: {group: example.org, names: {kind: Cache, plural: caches}, scope: Namespaced, versions: [{name: v1, served: true}]}
`

func TestObjectDigest(t *testing.T) {
	t.Parallel()
	of := func(text string, change ...kyaml.Filter) string {
		t.Helper()
		object := kyaml.MustParse(text)
		require.NoError(t, object.PipeE(change...))
		sum, err := registry.ObjectDigest(object.YNode())
		require.NoError(t, err)
		return sum
	}
	want := of(crd)
	assert.Regexp(t, "^sha256:[0-9a-f]{64}$", want)
	assert.Equal(t, want, of(crd, kyaml.SetAnnotation("config.kubernetes.io/local-config", "true")), "metadata does not count")
	assert.NotEqual(t, want, of(crd, kyaml.Lookup("spec"), kyaml.SetField("scope", kyaml.NewStringRNode("Cluster"))))
	assert.NotEqual(t, want, of(crd, kyaml.SetField("kind", kyaml.NewStringRNode("Other"))))

	_, err := registry.ObjectDigest(kyaml.MustParse("kind: K\nmetadata: {name: n}\nspec: {a: .nan}\n").YNode())
	assert.ErrorContains(t, err, `K "n": spec.a must be a number`)
}
