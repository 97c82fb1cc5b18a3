package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

const typedPlugin = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata: {name: db@1.0.0}
spec:
  runner: {image: alpine}
  create:
  - name: prepare
    script: "#!/bin/sh\necho"
  - name: provision
    script: "#!/bin/sh\necho /o/type /o/host"
    outputs: [{name: type, valueFromPath: /o/type}, {name: host, valueFromPath: /o/host}]
`

// The file of a binding has the path ROOT/RESOURCE/OUTPUT, as the Service Binding specification has it.
func TestRender_mountsBindings(t *testing.T) {
	t.Parallel()
	sandbox := strings.Replace(labelledFork, "}}]}", "}, customizations: {env: [{name: SERVICE_BINDING_ROOT, value: /bindings}]}}], "+
		"resources: [{name: orders, plugin: db}, {name: users, plugin: db@1.0.0}]}", 1)
	documents := list(t, routedService80, routedWeb, typedPlugin, sandbox)
	summary, err := Render(documents, *routed(none))
	require.NoError(t, err)
	require.False(t, documents.Results().Failed())
	var workload appsv1.Deployment
	for _, item := range summary.Objects {
		if item.Kind() == deployment {
			text, err := item.Bytes()
			require.NoError(t, err)
			require.NoError(t, yaml.Unmarshal(text, &workload))
		}
	}
	pod := workload.Spec.Template.Spec
	require.Len(t, pod.Volumes, 1)
	for _, source := range pod.Volumes[0].Projected.Sources {
		for i := range source.Secret.Items {
			name, generation, _ := strings.Cut(source.Secret.Items[i].Key, ".")
			assert.NotEmpty(t, generation, "a new value must restart the fork")
			source.Secret.Items[i].Key = name
		}
	}
	id := contract.DeriveSandboxID("c", "s")
	projection := func(resource string) corev1.VolumeProjection {
		return corev1.VolumeProjection{Secret: &corev1.SecretProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: contract.OutputSecretName(id, resource, "provision")},
			Items:                []corev1.KeyToPath{{Key: "type", Path: resource + "/type"}, {Key: "host", Path: resource + "/host"}},
		}}
	}
	assert.Equal(t, []corev1.Volume{{Name: bindingVolume, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		Sources: []corev1.VolumeProjection{projection("orders"), projection("users")},
	}}}}, pod.Volumes)
	assert.Equal(t, []corev1.VolumeMount{{Name: bindingVolume, MountPath: "/bindings", ReadOnly: true}}, pod.Containers[0].VolumeMounts)

	for _, change := range []struct{ from, to, want string }{
		{"plugin: db}", "plugin: other}", `spec.resources[0].plugin: must be a plugin in the list`},
		{"value: /bindings", "value: bindings", `spec.forks[0].customizations.env[0].value: must be the absolute path of a folder, not "bindings"`},
	} {
		documents := list(t, routedService80, routedWeb, typedPlugin, strings.Replace(sandbox, change.from, change.to, 1))
		_, err := Render(documents, *routed(none))
		require.NoError(t, err)
		require.True(t, documents.Results().Failed(), change.to)
		var messages []string
		for _, result := range documents.Results() {
			messages = append(messages, result.Field.Path+": "+result.Message)
		}
		assert.Contains(t, strings.Join(messages, "\n"), change.want)
	}
}
