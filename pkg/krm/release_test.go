package krm_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Whenever an item is released, the list is written as if it had not been.
func TestItem_Release(t *testing.T) {
	t.Parallel()
	const source = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1 # one\n  kind: ConfigMap\n" +
		"  metadata:\n    name: a\n  data: {k: &x v, l: *x}\n- {apiVersion: v1, kind: X, metadata: {name: b}}\n"
	run := func(release func(item *krm.Item)) string {
		list, err := krm.Parse([]byte(source))
		require.NoError(t, err)
		for _, item := range list.Items() {
			release(item)
			item.Annotate("a", "1")
			release(item)
			assert.NotEmpty(t, item.Kind())
			assert.NotEmpty(t, item.Name())
			value, _ := item.Annotation("a")
			assert.Equal(t, "1", value)
			require.NoError(t, item.Set("metadata.name", "c"))
			release(item)
			assert.Equal(t, "c", item.Name())
			list.Report(krm.At(item, "metadata.name", krm.Error, "x"))
			release(item)
		}
		var out bytes.Buffer
		_, err = list.WriteTo(&out)
		require.NoError(t, err)
		return out.String()
	}
	want := run(func(*krm.Item) {})
	assert.Equal(t, want, run((*krm.Item).Release))
	unchanged, err := krm.Parse([]byte(source))
	require.NoError(t, err)
	for _, item := range unchanged.Items() {
		item.YNode()
		item.Release()
	}
	var out bytes.Buffer
	_, err = unchanged.WriteTo(&out)
	require.NoError(t, err)
	assert.Equal(t, source, out.String())
}
