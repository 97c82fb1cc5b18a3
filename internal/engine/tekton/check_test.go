package tekton

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/randfill"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for overlay, want := range map[string][]string{
		"spec: {nodeSelector: {a: b}, containers: [{name: main, env: [{name: A, value: '$(HOME) $$ {{x}} $(params)'}]}]}": nil,
		"spec: {initContainers: [{name: a, image: x}], terminationGracePeriodSeconds: 5, hostPID: true}": {
			"spec.hostPID: " + cannot, "spec.initContainers: " + cannot, "spec.terminationGracePeriodSeconds: " + cannot,
		},
		"spec: {containers: [{name: main, ports: [{containerPort: 1}], tty: true}, {name: a, image: x, ports: [{containerPort: 1}], resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]}]}": {
			"spec.containers[0].ports: " + cannot, "spec.containers[0].tty: " + cannot, "spec.containers[1].resizePolicy: " + cannot,
		},
		"spec: {hostnameOverride: a, evictionResponders: [{name: a}], volumes: [{name: a, emptyDir: {mode: 448}}]}": {
			"spec.evictionResponders: " + cannot, "spec.hostnameOverride: " + cannot,
			"spec.volumes[0].emptyDir.mode: must not be set with engine tekton: Tekton 1.15 does not know the field; use engine jobs",
		},
		"spec: {volumes: [{name: tekton-a}], containers: [{name: main, volumeMounts: [{name: a, mountPath: /tekton/x}]}]}": {
			`spec.containers[0].volumeMounts[0].mountPath: must not be "/tekton/x": Tekton mounts its own volumes there`,
			`spec.volumes[0].name: must not begin with "tekton-" as "tekton-a" does: Tekton adds such volumes`,
		},
		"metadata: {annotations: {a: '$(context.taskRun.name)'}}\nspec: {containers: [{name: main, args: [x, '$$(params[\"a\"])']}]}": {
			`metadata.annotations.a: must not hold "$(context.", which Tekton replaces: use engine jobs or argo`,
			`spec.containers[0].args[1]: must not hold "$(params[", which Tekton replaces: use engine jobs or argo`,
		},
	} {
		var template corev1.PodTemplateSpec
		require.NoError(t, yaml.UnmarshalStrict([]byte(overlay), &template))
		var got []string
		for _, p := range (Engine{}).Check(&template) {
			got = append(got, p.Field+": "+p.Message)
		}
		assert.Equal(t, want, got, overlay)
	}
}

// Each field of Kubernetes' Pods and containers is either rendered unchanged, or rejected.
func TestCheck_refusesWhatIsNotRendered(t *testing.T) {
	t.Parallel()
	var pod corev1.PodSpec
	var filled corev1.Container
	filler := randfill.NewWithSeed(20).NilChance(0).NumElements(1, 1).MaxDepth(6)
	filler.Fill(&pod)
	filler.Fill(&filled)
	pod.Containers = nil
	refused := func(spec corev1.PodSpec) (fields []string) {
		for _, p := range (Engine{}).Check(&corev1.PodTemplateSpec{Spec: spec}) {
			if p.Message == cannot {
				fields = append(fields, p.Field)
			}
		}
		return fields
	}
	// These fields have other names or places in a PipelineRun.
	elsewhere := []string{"activeDeadlineSeconds", "restartPolicy", "serviceAccount", "serviceAccountName", "volumes"}
	rendered, all := valuesOf(podTemplate(&pod)), valuesOf(&pod)
	assert.Subset(t, all, rendered)
	assert.ElementsMatch(t, slices.Collect(maps.Keys(all)), slices.Concat(
		slices.Collect(maps.Keys(rendered)), elsewhere, below("spec.", refused(pod))), "all are set")

	for name, part := range map[string]any{contract.MainContainer: container(&filled), "beside": sidecar(&filled)} {
		filled.Name = name
		all, rendered := valuesOf(&filled), valuesOf(part)
		rendered["name"], rendered["resources"] = name, rendered["computeResources"]
		delete(rendered, "computeResources")
		assert.Subset(t, all, rendered)
		assert.ElementsMatch(t, slices.Collect(maps.Keys(all)), slices.Concat(slices.Collect(maps.Keys(rendered)),
			below("spec.containers[0].", refused(corev1.PodSpec{Containers: []corev1.Container{filled}}))), name)
	}
}

func below(prefix string, fields []string) (names []string) {
	for _, field := range fields {
		names = append(names, strings.TrimPrefix(field, prefix))
	}
	return names
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for _, seconds := range []int64{0, 1, 59, 60, 61, 3599, 3600, 3661, 86400, 1<<31 - 1} {
		assert.Equal(t, (time.Duration(seconds) * time.Second).String(), duration(seconds))
	}
}
