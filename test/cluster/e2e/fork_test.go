//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// echo responds with two environment variables.
const echo = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: echo, namespace: shop, labels: {app: echo}}
spec:
  replicas: 2
  selector: {matchLabels: {app: echo}}
  template:
    metadata: {labels: {app: echo, team: goods}}
    spec:
      containers:
      - name: echo
        image: busybox
        command: [/bin/sh, -ec, 'mkdir /www; echo "$GREETING $DATABASE" > /www/index.html; exec httpd -f -p 8080 -h /www']
        env: [{name: GREETING, value: baseline}, {name: DATABASE, value: ours}]
        ports: [{name: http, containerPort: 8080}]
        readinessProbe: {httpGet: {path: /index.html, port: http}, periodSeconds: 1, timeoutSeconds: 60, failureThreshold: 60}
---
apiVersion: v1
kind: Service
metadata: {name: echo, namespace: shop}
spec: {selector: {app: echo}, ports: [{name: http, port: 80, targetPort: http}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: echo, namespace: shop}
spec: {minAvailable: 1, selector: {matchLabels: {app: echo}}}
`

// A fork runs next to its baseline: it starts when the outputs that it reads are published, each Service reaches only its
// own Pods, and the baseline does not change.
func TestLifecycleFork(t *testing.T) {
	t.Parallel()
	runners := newNamespace(t)
	shop := newNamedNamespace(t, runners.name+"-shop")
	baseline := runners.rename(shop, echo)
	shop.apply(baseline)
	shop.rolledOut("echo")
	before := shop.baseline()

	plugin := runners.plugin("value@1.0.0", runners.overlay(), step{name: "make", script: script("make", good), outputs: []string{"value"}})
	plugin["spec"].(object)["delete"] = []object{step{name: "drop", script: script("drop", "")}.document()}
	lockSandbox(t, "forked")
	forked := sandbox("forked", "value", nil)
	forked["spec"].(object)["forks"] = []object{{
		"forkOf": object{"kind": "Deployment", "namespace": shop.name, "name": "echo"},
		"customizations": object{"env": []object{
			{"name": "GREETING", "value": "fork"},
			{"name": "DATABASE", "valueFrom": object{"resource": object{"name": "r", "outputKey": "make.value"}}},
		}},
	}}
	shop.apply(function(t, "render-sandbox", baseline+"---\n"+texts(t, plugin, forked), "-"))
	shop.awaitMissingSecret()
	runners.apply(render(t, nil, plugin, forked))
	fork := shop.named("deployments")
	shop.rolledOut(fork)

	assert.Equal(t, map[string]int{"baseline ours": 20}, shop.answers("of-baseline", "echo"))
	assert.Equal(t, map[string]int{"fork value of forked": 20}, shop.answers("of-fork", shop.named("services")))
	assert.Equal(t, before, shop.baseline(), "the fork must not change the baseline")

	forked["metadata"].(object)["annotations"] = map[string]string{contract.StateKey: "absent"}
	runners.apply(render(t, nil, plugin, forked))
	runners.ended()
	must(t, "", "delete", "deployments,services", "--namespace", shop.name, "--selector", contract.SandboxKey+"=forked", "--wait")
	assert.Len(t, runners.times(t, "forked", "drop", "end"), 1)
	for _, s := range []*testNamespace{runners, shop} {
		secrets, err := list[secret](s.name, "secrets", "--selector", contract.SandboxKey+"=forked")
		require.NoError(t, err)
		assert.Empty(t, secrets, s.name)
	}
	assert.Equal(t, before, shop.baseline(), "the teardown must not change the baseline")
	assert.Equal(t, map[string]int{"baseline ours": 20}, shop.answers("after", "echo"))
}

func (s *testNamespace) rolledOut(deployment string) {
	s.t.Helper()
	must(s.t, "", "rollout", "status", "deployment/"+deployment, "--namespace", s.name, "--timeout", timeout.String())
}

// named returns the name of the only object of a kind that belongs to a sandbox.
func (s *testNamespace) named(kind string) string {
	s.t.Helper()
	name := must(s.t, "", "get", kind, "--namespace", s.name, "--selector", contract.SandboxKey, "--output=jsonpath={.items[*].metadata.name}")
	require.Len(s.t, strings.Fields(name), 1, kind)
	return name
}

// baseline returns properties that must not change: generation, selector and Pods of the Deployment.
func (s *testNamespace) baseline() []string {
	s.t.Helper()
	const endpoints = "--output=jsonpath={.items[*].endpoints[*].targetRef.name}"
	var names string
	eventually(s.t, func() (_ string, err error) { // the slices are written after the Pods are ready
		names, err = kubectl("", "get", "endpointslices", "--namespace", s.name, "--selector", "kubernetes.io/service-name=echo", endpoints)
		ready := must(s.t, "", "get", "deployment", "echo", "--namespace", s.name, "--output=jsonpath={.status.readyReplicas}")
		sorted := slices.Sorted(slices.Values(strings.Fields(names)))
		if names = strings.Join(sorted, " "); strconv.Itoa(len(sorted)) != ready {
			return ready + " endpoints of echo, not " + names, err
		}
		return "", err
	})
	parts := strings.Fields(must(s.t, "", "get", "pods,endpoints", "--namespace", s.name, "--selector", "app=echo,!"+contract.SandboxKey,
		"--output=jsonpath={range .items[*]}{.metadata.uid}{\"\\n\"}{end}"))
	slices.Sort(parts)
	for _, path := range []string{".metadata.generation", ".status.readyReplicas", ".spec.selector.matchLabels"} {
		parts = append(parts, must(s.t, "", "get", "deployment", "echo", "--namespace", s.name, "--output=jsonpath={"+path+"}"))
	}
	return append(parts, names)
}

// awaitMissingSecret waits until the kubelet reports that the fork's container needs a Secret or key that does not exist.
func (s *testNamespace) awaitMissingSecret() {
	s.t.Helper()
	eventually(s.t, func() (string, error) {
		states, err := kubectl("", "get", "pods", "--namespace", s.name, "--selector", contract.SandboxKey,
			"--output=jsonpath={.items[*].status.containerStatuses[*].state.waiting.reason}")
		if states != "CreateContainerConfigError" {
			return fmt.Sprintf("a fork that waits for its Secret; its state is %q", states), err
		}
		return "", err
	})
}

// answers sends twenty requests to a Service from a Pod and counts the responses.
func (s *testNamespace) answers(client, service string) map[string]int {
	s.t.Helper()
	reachable(s, service+"."+s.name+".svc", 80)
	output := shell(s, client, "busybox", fmt.Sprintf("for i in $(seq 20); do wget -q -O - http://%s.%s.svc/; done", service, s.name))
	answers := map[string]int{}
	for line := range strings.Lines(output) {
		answers[strings.TrimSpace(line)]++
	}
	return answers
}
