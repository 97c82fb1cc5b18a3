package overlay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/overlay"
)

func TestParseDefaults_refusesWhatAScriptCouldNotice(t *testing.T) {
	t.Parallel()
	for text, isAllowed := range map[string]bool{
		"":                                      true,
		"metadata: {labels: {team: shop}}":      true,
		"metadata: {annotations: {a/b: c}}":     true,
		"spec: {nodeSelector: {pool: jobs}}":    true,
		"spec: {tolerations: [{key: jobs}]}":    true,
		"spec: {imagePullSecrets: [{name: a}]}": true,
		"spec: {containers: [{name: main, resources: {limits: {cpu: 1}}}]}": true,
		"metadata: {name: a}":                                                                    false,
		"spec: {serviceAccountName: a}":                                                          false,
		"spec: {hostNetwork: true}":                                                              false,
		"spec: {volumes: [{name: a, emptyDir: {}}]}":                                             false,
		"spec: {containers: [{name: main, image: a}]}":                                           false,
		"spec: {containers: [{name: main, env: [{name: A, value: a}]}]}":                         false,
		"spec: {containers: [{name: other, resources: {}}]}":                                     false,
		"spec: {containers: [{name: main, resources: {}}, {name: other, resources: {}}]}":        false,
		"spec: {containers: [{name: main, resources: {limits: {cpu: 1}}}], nodeSelctor: {a: b}}": false,
		"spec: [": false,
	} {
		_, problem := overlay.ParseDefaults(text)
		assert.Equal(t, isAllowed, problem == "", "%s: %s", text, problem)
	}
}

// The plugin takes precedence, and generations are those of the plugin.
func TestSetDefaults(t *testing.T) {
	t.Parallel()
	o, problems := overlay.Parse("spec: {nodeSelector: {pool: gpu}, containers: [{name: main, resources: {limits: {cpu: 2}}}]}")
	require.Empty(t, problems)
	canonical := string(o.Canonical)
	require.NoError(t, o.SetDefaults("metadata: {labels: {team: shop}}\n"+
		"spec: {nodeSelector: {pool: jobs, zone: a}, containers: [{name: main, resources: {limits: {cpu: 1, memory: 1Gi}}}]}"))
	assert.Equal(t, canonical, string(o.Canonical))
	assert.Equal(t, map[string]string{"team": "shop"}, o.Template.Labels)
	assert.Equal(t, map[string]string{"pool": "gpu", "zone": "a"}, o.Template.Spec.NodeSelector)
	limits := o.Template.Spec.Containers[0].Resources.Limits
	assert.Equal(t, "2", limits.Cpu().String())
	assert.Equal(t, "1Gi", limits.Memory().String())
}
