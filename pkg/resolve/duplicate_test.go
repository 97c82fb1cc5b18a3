package resolve

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// An object whose kind or name depends on the reader is an error, and nothing is resolved.
func TestResolve_rejectsSecondKinds(t *testing.T) {
	t.Parallel()
	const plugin = "- apiVersion: resourceplugins.dev/v1alpha1\n  kind: ResourcePlugin\n  metadata: {name: db@1.0.0}\n  spec: {runner: {image: a}}\n"
	const sandbox = "- apiVersion: resourceplugins.dev/v1alpha1\n  kind: Sandbox\n  metadata: {name: a}\n" +
		"  spec: {cluster: c, resources: [{name: r, plugin: db}]}\n"
	for want, items := range map[string]string{
		"":                                 plugin + sandbox,
		"kind must not be given twice":     plugin + sandbox + "  kind: ConfigMap\n",
		"metadata must not be given twice": plugin + "  metadata: {name: db@2.0.0}\n" + sandbox,
		`["<<"] must not be used here`:     plugin + "  <<: {kind: Sandbox}\n" + sandbox,
	} {
		list, err := krm.Parse([]byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" + items))
		require.NoError(t, err)
		report, err := Resolve(list, Options{})
		require.NoError(t, err)
		if want == "" {
			require.Empty(t, list.Results())
			continue
		}
		require.Len(t, list.Results(), 1, want)
		assert.Contains(t, list.Results()[0].Message, want)
		assert.Equal(t, krm.Error, list.Results()[0].Severity)
		assert.Equal(t, Report{}, report)
	}
}
