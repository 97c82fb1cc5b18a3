package argo

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	const replaced = ": must not hold \"{{\", which Argo Workflows replaces: use engine jobs or tekton"
	for overlay, want := range map[string][]string{
		"spec: {nodeSelector: {a: '{{b}}'}, tolerations: [{key: '{{'}], containers: [{name: main, env: [{name: A, value: '{{b}}'}]}]}": nil,
		`metadata: {annotations: {a: "{{- with secret \"x\" -}}\n{{ .Data.item }}{{- end }}", b: "}}{", c: "{{items}}"}}`:              nil,
		"metadata: {annotations: {a: '{{ workflow.name }}', b: '{{a', c: '{{x}} {{=x}}', d: '{{ {{pod.name}}', e: '{{retries}}'}, labels: {'{{': x}}": {
			"metadata.annotations.a" + replaced, "metadata.annotations.b" + replaced, "metadata.annotations.c" + replaced,
			"metadata.annotations.d" + replaced, "metadata.annotations.e" + replaced, `metadata.labels["{{"]` + replaced,
		},
		"spec: {volumes: [{name: a, csi: {driver: '{{'}}, {name: var-run-argo}]}": {
			"spec.volumes[0]" + replaced, `spec.volumes[1].name: must not be "var-run-argo": Argo Workflows adds a volume of that name`,
		},
		"spec: {hostnameOverride: a, containers: [{name: main, env: [{name: A, valueFrom: {fileKeyRef: {key: a, path: b, volumeName: c}}}]}]}": {
			"spec.containers[0].env[0].valueFrom.fileKeyRef: must not be set with engine argo: Argo Workflows 3.7 does not know the field; use engine jobs",
			"spec.hostnameOverride: must not be set with engine argo: Argo Workflows 3.7 does not know the field; use engine jobs",
		},
		"spec: {serviceAccountName: '{{a}}'}": {"spec.serviceAccountName" + replaced},
		"spec: {containers: [{name: main, image: '{{a}}'}]}": {
			"spec.containers[0]" + replaced,
		},
		"spec: {initContainers: [{name: init, image: x}], containers: [{name: main}, {name: wait, image: x, command: [x]}, {name: init, image: x}]}": {
			`spec.initContainers[0].name: must not be "init": Argo Workflows adds a container of that name`,
			`spec.containers[1].name: must not be "wait": Argo Workflows adds a container of that name`,
			`warning spec.containers[2].command: must be set: the controller of Argo Workflows asks the registry of the image for it else`,
		},
	} {
		var template corev1.PodTemplateSpec
		require.NoError(t, yaml.UnmarshalStrict([]byte(overlay), &template))
		var got []string
		for _, p := range (Engine{}).Check(&template) {
			line := p.Field + ": " + p.Message
			if p.IsWarning {
				line = "warning " + line
			}
			got = append(got, line)
		}
		assert.Equal(t, want, got, overlay)
	}
}
