package overlay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

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
