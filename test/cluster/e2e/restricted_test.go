//go:build e2e

package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// unprivileged runs scripts as a user, with a folder for their outputs.
const unprivileged = `spec:
  securityContext: {runAsUser: 1000}
  volumes: [{name: outputs, emptyDir: {}}]
  containers: [{name: main, volumeMounts: [{name: outputs, mountPath: /outputs}]}]
`

// In a namespace that enforces Pod Security "restricted", a flow with outputs, from create to cleanup, runs if it is
// rendered for it.
func TestLifecycleRestricted(t *testing.T) {
	t.Parallel()
	s := newNamespace(t, "pod-security.kubernetes.io/enforce=restricted", "pod-security.kubernetes.io/warn=restricted")
	plugin := func(overlay string) object {
		made := s.plugin("calm@1.0.0", overlay,
			step{name: "make", script: "#!/bin/sh\nset -eu\n" + good + "\nid -u\n", outputs: []string{"value"}},
			step{name: "read", script: "#!/bin/sh\n[ \"$MAKE_VALUE\" = \"value of $SIGNADOT_SANDBOX_NAME\" ]\n", reads: []string{"make.value"}})
		made["spec"].(object)["delete"] = []object{
			step{name: "drop", script: "#!/bin/sh\n[ -n \"$MAKE_VALUE\" ]\n", reads: []string{"make.value"}}.document(),
		}
		return made
	}
	restricted := []string{"--pod-security", "restricted"}
	calm := sandbox("calm", "calm@1.0.0", nil)

	plain := render(t, []string{"--workload", "Pod"}, s.plugin("plain@1.0.0", "", step{name: "say", script: "#!/bin/sh\n"}),
		sandbox("plain", "plain@1.0.0", nil))
	_, err := kubectl(plain, "apply", "--dry-run=server", "-f", "-")
	require.ErrorContains(t, err, `violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "main" must set`)

	create := render(t, restricted, plugin(unprivileged), calm)
	_, stderr, err := kubectlWarns(create, "apply", "-f", "-")
	require.NoError(t, err)
	assert.Empty(t, stderr, "no Job has a Pod that violates the standard")
	s.succeeded(2)
	assert.Equal(t, "1000\n", must(t, "", "logs", "--namespace", s.name, "--container=main", "--tail=-1",
		"--selector", contract.StepKey+"=make"))
	s.apply(render(t, append(restricted, "--phases", "delete"), plugin(unprivileged), calm))
	s.succeeded(4)
	secrets, err := list[secret](s.name, "secrets", "--selector", contract.SandboxKey)
	require.NoError(t, err)
	assert.Empty(t, secrets)

	s.apply(render(t, restricted, plugin("spec: {volumes: [{name: outputs, emptyDir: {}}]}"), sandbox("root", "calm@1.0.0", nil)))
	eventually(t, func() (string, error) {
		message, err := kubectl("", "get", "pods", "--namespace", s.name, "--selector", contract.SandboxKey+"=root,"+contract.StepKey+"=make",
			`--output=jsonpath={.items[*].status.containerStatuses[?(@.name=="main")].state.waiting.message}`)
		if message != "" {
			assert.Contains(t, message, "container has runAsNonRoot and image will run as root")
			return "", nil
		}
		return "the kubelet's message about the user root", err
	})
}
