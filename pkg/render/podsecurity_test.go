package render

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	psa "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
)

var forRestricted = changed(func(o *Options) { o.PodSecurity = restricted })

// withOverlay returns a plugin of testdata with another overlay.
func withOverlay(t *testing.T, folder, overlay string) *document.Plugin {
	t.Helper()
	plugin := *read(t, folder)
	plugin.Spec.Runner.PodTemplateOverlay = overlay
	return &plugin
}

// Every Pod, those of helper jobs included, keeps to the standard; without the option those of steps do not.
func TestPodSecurity_allPodsAreAllowed(t *testing.T) {
	t.Parallel()
	level := psa.LevelVersion{Level: psa.LevelRestricted, Version: psa.LatestVersion()}
	for _, folder := range folders {
		for _, phase := range v1alpha1.Phases {
			for _, options := range []Options{DefaultOptions(), forRestricted} {
				for _, object := range ofKind(rendered(t, read(t, folder), phase, options, copying()), job) {
					template := decoded[batchv1.Job](t, object).Spec.Template
					found := policy.AggregateCheckResults(podSecurityChecks().EvaluatePod(level, &template.ObjectMeta, &template.Spec))
					isHelper := object.GetLabels()[contract.HelperKey] != ""
					assert.Equal(t, isHelper || options.PodSecurity == restricted, found.Allowed, "%s %s: %s",
						folder, object.GetName(), found.ForbiddenDetail())
				}
			}
		}
	}
}

// Fields that the overlay sets stay; those that it leaves open are set.
func TestPodSecurity_setsWhatTheOverlayLeavesOpen(t *testing.T) {
	t.Parallel()
	const overlay = `spec:
  securityContext: {runAsUser: 1000, seccompProfile: {type: Localhost, localhostProfile: mine.json}}
  initContainers: [{name: side, image: side, restartPolicy: Always}]
  containers:
  - name: main
    securityContext: {runAsNonRoot: true, capabilities: {add: [NET_BIND_SERVICE]}, readOnlyRootFilesystem: true}
`
	objects := rendered(t, withOverlay(t, "postgres", overlay), v1alpha1.PhaseCreate, forRestricted, testRequest)
	pod := decoded[batchv1.Job](t, ofKind(objects, job)[0]).Spec.Template.Spec
	assert.Equal(t, &corev1.PodSecurityContext{
		RunAsNonRoot: new(true), RunAsUser: new(int64(1000)),
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeLocalhost, LocalhostProfile: new("mine.json")},
	}, pod.SecurityContext)
	dropsAll := []corev1.Capability{"ALL"}
	assert.Equal(t, &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true), RunAsNonRoot: new(true),
		Capabilities: &corev1.Capabilities{Add: []corev1.Capability{"NET_BIND_SERVICE"}, Drop: dropsAll},
	}, containerNamed(pod.Containers, contract.MainContainer).SecurityContext)
	assert.Equal(t, &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: dropsAll},
	}, containerNamed(pod.InitContainers, "side").SecurityContext)
}

// A field of the overlay that the API server would refuse is reported as an error that names it.
func TestPodSecurity_reportsWhatIsForbidden(t *testing.T) {
	t.Parallel()
	main := func(fields string) string { return "spec: {containers: [{name: main, " + fields + "}]}" }
	for name, c := range map[string]struct{ overlay, says string }{
		"privileged":           {main("securityContext: {privileged: true}"), `"main" must not set securityContext.privileged=true`},
		"escalation":           {main("securityContext: {allowPrivilegeEscalation: true}"), `"main" must set securityContext.allowPrivilegeEscalation=false`},
		"root":                 {main("securityContext: {runAsUser: 0}"), `"main" must not set runAsUser=0`},
		"root of the Pod":      {"spec: {securityContext: {runAsUser: 0}}", `pod must not set runAsUser=0`},
		"may be root":          {"spec: {securityContext: {runAsNonRoot: false}}", `pod must not set securityContext.runAsNonRoot=false`},
		"capability":           {main("securityContext: {capabilities: {add: [SYS_ADMIN]}}"), `"main" must not include "SYS_ADMIN" in securityContext.capabilities.add`},
		"drops one":            {main("securityContext: {capabilities: {drop: [NET_RAW]}}"), `"main" must set securityContext.capabilities.drop=["ALL"]`},
		"unconfined":           {"spec: {securityContext: {seccompProfile: {type: Unconfined}}}", `must not set securityContext.seccompProfile.type to "Unconfined"`},
		"procMount":            {main("securityContext: {procMount: Unmasked}"), `"main" must not set securityContext.procMount to "Unmasked"`},
		"host path":            {"spec: {volumes: [{name: v, hostPath: {path: /}}]}", `volume "v" uses restricted volume type "hostPath"`},
		"image volume":         {"spec: {volumes: [{name: v, image: {reference: i}}]}", `volume "v" uses restricted volume type "image"`},
		"root of other users":  {"spec: {hostUsers: false, securityContext: {runAsUser: 0}}", `pod must not set runAsUser=0`},
		"unmasked proc":        {"spec: {hostUsers: false, containers: [{name: main, securityContext: {procMount: Unmasked}}]}", `procMount`},
		"host network":         {"spec: {hostNetwork: true}", "hostNetwork=true"},
		"host PID":             {"spec: {hostPID: true}", "hostPID=true"},
		"host port":            {main("ports: [{containerPort: 80, hostPort: 80}]"), `"main" uses hostPort 80`},
		"sysctl":               {"spec: {securityContext: {sysctls: [{name: kernel.msgmax, value: '1'}]}}", "kernel.msgmax"},
		"AppArmor of a helper": {"metadata: {annotations: {container.apparmor.security.beta.kubernetes.io/cleanup: unconfined}}", "AppArmor"},
		"another container": {
			"spec: {initContainers: [{name: setup, image: i, securityContext: {privileged: true}}]}", `"setup" must not set securityContext.privileged=true`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plugin := withOverlay(t, "postgres", c.overlay)
			compiled, _ := compile(plugin, v1alpha1.PhaseCreate, DefaultOptions(), variant{})
			require.NotNil(t, compiled, "the option alone makes it an error")
			compiled, problems := compile(plugin, v1alpha1.PhaseCreate, forRestricted, variant{})
			require.Nil(t, compiled)
			all := ""
			for _, problem := range problems {
				assert.Equal(t, overlayPath, problem.Path)
				all += problem.Message + "\n"
			}
			assert.Contains(t, all, `must keep to the Pod Security Standard "restricted" (podSecurity), which forbids`)
			assert.Contains(t, all, c.says)
		})
	}
}
