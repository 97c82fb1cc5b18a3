package render_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

const copied = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: one-aaaaaaaaaaaa
  namespace: ns
  annotations:
    resourceplugins.dev/rendered-by: us
spec:
  replicas: 2
`

// settleNode puts a copy into a list and returns the list as it is written.
func settleNode(t *testing.T, list, object string, owner render.Owner, index int) (string, error) {
	t.Helper()
	parsed, err := krm.Parse([]byte(list))
	require.NoError(t, err)
	var manifest unstructured.Unstructured
	require.NoError(t, yaml.Unmarshal([]byte(object), &manifest.Object))
	v := render.NewReconciler(parsed, owner)
	change, refused := v.Put(&manifest, "rendered/s/forks.yaml", index)
	v.Apply([]render.Change{change})
	v.RemoveRest()
	var out bytes.Buffer
	_, err = parsed.WriteTo(&out)
	require.NoError(t, err)
	return out.String(), refused
}

func TestCopies(t *testing.T) {
	t.Parallel()
	const id = "config.k8s.io/id: \"7\""
	const here = 1
	put := func(list, object string, index int) string {
		got, err := settleNode(t, list, object, owner(true), index)
		require.NoError(t, err)
		return got
	}
	first := put(empty, copied, here)
	for _, want := range []string{
		"replicas: 2\n", "internal.config.kubernetes.io/index: \"1\"\n",
		"internal.config.kubernetes.io/path: rendered/s/forks.yaml\n",
	} {
		assert.Contains(t, first, want)
	}
	assert.Equal(t, first, put(first, copied, here), "twice is once")
	commented := strings.Replace(first, "replicas: 2\n", "replicas: 2 # why two\n", 1)
	assert.Equal(t, commented, put(commented, copied, here), "comments that somebody added stay")

	// kpt has put its own annotations on it meanwhile.
	annotated := strings.Replace(first, "resourceplugins.dev/rendered-by: us", id+"\n      resourceplugins.dev/rendered-by: us", 1)
	require.Contains(t, annotated, id)
	assert.Equal(t, annotated, put(annotated, copied, here))
	changed := put(annotated, strings.Replace(copied, "replicas: 2", "replicas: 3", 1), here)
	assert.Contains(t, changed, "replicas: 3\n")
	assert.Contains(t, changed, id, "kpt finds comments by it")
	assert.Equal(t, 1, strings.Count(changed, "kind: Deployment"))

	moved := put(first, copied, 4)
	assert.Equal(t, strings.Replace(first, "index: \"1\"", "index: \"4\"", 1), moved)
}

func TestCopiesWithoutAPlace(t *testing.T) {
	t.Parallel()
	streamed := owner(true)
	streamed.WithoutPaths = true
	got, err := settleNode(t, empty, copied, streamed, 0)
	require.NoError(t, err)
	assert.Contains(t, got, "name: "+one)
	assert.NotContains(t, got, "internal.config.kubernetes.io")
}

func TestCopiesWhoseNameIsTaken(t *testing.T) {
	t.Parallel()
	first, err := settleNode(t, empty, copied, owner(true), 0)
	require.NoError(t, err)
	changed := strings.Replace(copied, "replicas: 2", "replicas: 3", 1)

	got, err := settleNode(t, first, changed, render.Owner{Name: "them", Kinds: kinds}, 0)
	require.NoError(t, err)
	assert.Equal(t, first, got, "another config's is that one's to replace")

	theirs := strings.Replace(first, "resourceplugins.dev/rendered-by", "example.com/by", 1)
	got, err = settleNode(t, theirs, changed, owner(true), 0)
	require.ErrorContains(t, err, `the name of the Deployment "one-aaaaaaaaaaaa" must not be taken`)
	assert.Equal(t, theirs, got)
}
