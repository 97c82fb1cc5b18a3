package render

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/overlay"
)

// Generations are hashes of the canonical overlay: they are those of the plugin.
func TestSetDefaults_pluginTakesPrecedence(t *testing.T) {
	t.Parallel()
	o, problems := overlay.Parse("spec: {nodeSelector: {pool: gpu}, containers: [{name: main, resources: {limits: {cpu: 2}}}]}")
	require.Empty(t, problems)
	canonical := string(o.Canonical)
	c := &compiledPhase{overlay: o}
	c.options.PodTemplateDefaults = "metadata: {labels: {team: shop}}\n" +
		"spec: {nodeSelector: {pool: jobs, zone: a}, containers: [{name: main, resources: {limits: {cpu: 1, memory: 1Gi}}}]}"
	require.NoError(t, c.setDefaults())
	assert.Equal(t, canonical, string(o.Canonical))
	assert.Equal(t, map[string]string{"team": "shop"}, o.Template.Labels)
	assert.Equal(t, map[string]string{"pool": "gpu", "zone": "a"}, o.Template.Spec.NodeSelector)
	limits := o.Template.Spec.Containers[0].Resources.Limits
	assert.Equal(t, "2", limits.Cpu().String())
	assert.Equal(t, "1Gi", limits.Memory().String())
}
