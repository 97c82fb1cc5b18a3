package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

func TestUsed(t *testing.T) {
	t.Parallel()
	var template corev1.PodTemplateSpec
	require.NoError(t, yaml.UnmarshalStrict([]byte(`
metadata: {labels: {fileKeyRef: x}}
spec:
  hostname: x
  containers:
  - {name: a, env: [{name: A, valueFrom: {fileKeyRef: {key: a, path: b, volumeName: c}}}, {name: B, value: x}]}
  - {name: b, resources: {requests: {cpu: 1}}, lifecycle: {postStart: {httpGet: {port: a, path: x}}}}
  volumes: [{name: a, configMap: {name: x, items: [{key: a, path: b, mode: 1}]}}, {name: b, secret: {defaultMode: 1}}]
`), &template))
	assert.Equal(t, []krm.Path{
		"spec.volumes[0].configMap.name", "spec.volumes[0].configMap.items[0].mode", "spec.volumes[1].secret.defaultMode",
		"spec.containers[0].env[0].valueFrom.fileKeyRef", "spec.containers[1].lifecycle.postStart.httpGet.path",
	}, Used(&template.Spec, []string{
		"EnvVarSource.fileKeyRef", "KeyToPath.mode", "SecretVolumeSource.defaultMode", "PodSpec.mode", "HTTPGetAction.path",
		"ConfigMapVolumeSource.defaultMode", "LocalObjectReference.name", "Container.fileKeyRef", "ObjectMeta.labels",
	}))
	assert.Empty(t, Used(&template.Spec, nil))
}

func TestNames_areUnique(t *testing.T) {
	t.Parallel()
	names := Names{}
	assert.Equal(t, "make-db", names.Add("Make-DB"))
	second, third := names.Add("make-db"), names.Add("MAKE-db")
	assert.Regexp(t, "^make-db-[a-z2-7]{12}$", second)
	assert.Regexp(t, "^make-db-[a-z2-7]{12}$", third)
	assert.NotEqual(t, second, third)
	assert.NotEqual(t, second, names.Add(second), "a step may have the name of another one's hash")
}
