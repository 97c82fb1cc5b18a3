package container

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

func TestUnsupported(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spec string
		want []string
	}{
		"as rendered": {`{containers: [{name: main, image: x, command: [a], env: [{name: A}], volumeMounts: [{name: x, mountPath: /x}]},
			{name: signadot-execunit-output-manager}], initContainers: [{name: signadot-execunit-input-manager}], restartPolicy: Never,
			activeDeadlineSeconds: 1, automountServiceAccountToken: false, volumes: [{name: x, emptyDir: {}}]}`, nil},
		"supported": {`{hostNetwork: true, hostAliases: [{ip: 1.2.3.4, hostnames: [a]}], securityContext: {runAsUser: 1, fsGroup: 2,
			runAsNonRoot: true, seccompProfile: {type: Unconfined}, sysctls: [{name: a, value: b}]}, containers: [{name: main, image: x,
			imagePullPolicy: Never, terminationMessagePolicy: FallbackToLogsOnError, ports: [{containerPort: 1}],
			resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1, ephemeral-storage: 1Gi}}, securityContext: {privileged: false,
			readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}]}`, nil},
		"not supported": {`{nodeSelector: {a: b}, runtimeClassName: x, shareProcessNamespace: true, imagePullSecrets: [{name: x}],
			securityContext: {supplementalGroupsPolicy: Strict, seccompProfile: {type: Localhost}}, volumes: [{name: x, hostPath: {path: /}}],
			containers: [{name: main, image: x, livenessProbe: {}, stdin: true, resources: {limits: {ephemeral-storage: 1Gi}},
			securityContext: {privileged: true, procMount: Unmasked}}, {name: other}]}`, []string{
			"spec.containers[main].resources.limits.ephemeral-storage", "spec.containers[main].securityContext.privileged",
			"spec.containers[main].securityContext.procMount", "spec.containers[main].stdin", "spec.containers[other]",
			"spec.imagePullSecrets", "spec.nodeSelector", "spec.runtimeClassName", "spec.securityContext.seccompProfile.type",
			"spec.securityContext.supplementalGroupsPolicy", "spec.shareProcessNamespace", "spec.volumes[x].hostPath",
		}},
	} {
		template := &corev1.PodTemplateSpec{}
		require.NoError(t, yaml.UnmarshalStrict([]byte(test.spec), &template.Spec), name)
		found := (&Engine{}).Unsupported(template)
		assert.Equal(t, test.want, found, name)
	}
}
