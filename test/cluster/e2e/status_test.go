//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// failing is a plugin with a step "make" that runs the script, a step "use" that reads its output, and a step "slow" that
// waits for a file. All have outputs.
func (s *testNamespace) failing(makes string) object {
	return s.plugin("failing@1.0.0", s.overlay(),
		step{name: "make", script: script("make", makes), outputs: []string{"value"}},
		step{name: "use", script: script("use", `cat /inputs/make.value > /outputs/seen`), reads: []string{"make.value"}, outputs: []string{"seen"}},
		step{name: "slow", script: script("slow", "await go\necho > /outputs/value"), outputs: []string{"value"}})
}

// A failure is reported at once, with its cause. After the script is fixed and applied, the report is about the new render.
func TestStatusFailed(t *testing.T) {
	s := newNamespace(t)
	p := newPage(s, "failed")
	p.write("create.yaml", render(t, nil, s.failing("exit 3"), sandbox("failed", "failing", nil)))
	assert.Equal(t, "Missing", p.status("create.yaml").Status)
	p.run("Apply")
	report := p.status("create.yaml", "--wait", "--timeout", timeout.String())
	require.Equal(t, "Failed", report.Status)
	assert.Equal(t, "InProgress", report.states()["slow"], "it must not wait for other steps")
	failed := map[string]string{}
	for _, step := range report.Steps {
		for _, container := range step.Containers {
			failed[step.Step+" "+container.Container] = container.Message
		}
	}
	assert.Contains(t, failed["failed/r/make main"], "the script exited with 3")
	found := p.found()
	assert.Equal(t, "Failed", found.Status)
	assert.Equal(t, "Failed", found.states()["make"])
	assert.Equal(t, "InProgress", found.states()["slow"])

	s.ended("--selector=resourceplugins.dev/step=use") // it failed, too
	s.apply(render(t, nil, s.failing(good), sandbox("failed", "failing", nil)))
	p.write("create.yaml", render(t, nil, s.failing(good), sandbox("failed", "failing", nil)))
	s.open(t, "go")
	p.ready()
	assert.Equal(t, map[string]int{"make": 2, "use": 1, "slow": 1}, s.runs("failed"))
}

// After the cause is fixed, the page's commands run the failed step and its consumer again, and do not affect a running
// step.
func TestStatusRunAgain(t *testing.T) {
	s := newNamespace(t)
	p := newPage(s, "failed")
	p.write("create.yaml", render(t, nil, s.failing("[ -e /shared/fixed ]\n"+good), sandbox("failed", "failing", nil)))
	p.run("Apply")
	require.Equal(t, "Failed", p.status("create.yaml", "--wait", "--timeout", timeout.String()).Status)
	s.ended("--selector=resourceplugins.dev/step=use")
	assert.Equal(t, map[string]string{"make": "Failed", "use": "Failed", "slow": "InProgress"}, p.status("create.yaml").states())
	s.open(t, "fixed")
	p.run("Run steps again")
	report := p.status("create.yaml", "--wait", "--timeout", "30s")
	assert.Equal(t, "InProgress", report.Status, "slow waits")
	s.open(t, "go")
	p.ready()
	assert.Equal(t, map[string]int{"make": 2, "use": 1, "slow": 1}, s.runs("failed"))
}

// Pods instead of Jobs have the same states.
func TestStatusPods(t *testing.T) {
	s := newNamespace(t)
	p := newPage(s, "failed")
	arguments := []string{"--workload", "Pod"}
	p.write("create.yaml", render(t, arguments, s.failing("exit 3"), sandbox("failed", "failing", nil)))
	p.run("Apply")
	report := p.status("create.yaml", "--wait", "--timeout", timeout.String())
	require.Equal(t, "Failed", report.Status)
	s.open(t, "go")
	fixed := render(t, arguments, s.failing(good), sandbox("failed", "failing", nil))
	p.write("create.yaml", fixed)
	p.run("Apply")
	p.ready()
}

// A copy in another namespace that was deleted and applied again is stale; the page's commands copy again, and run no step.
func TestStatusCopy(t *testing.T) {
	s := newNamespace(t)
	shop := newNamedNamespace(t, s.name+"-shop")
	p := newPage(s, "copied")
	copied := sandbox("copied", "value", nil)
	copied["spec"].(object)["forks"] = []object{{
		"forkOf": object{"kind": "Deployment", "namespace": shop.name, "name": "echo"},
		"customizations": object{"env": []object{
			{"name": "DATABASE", "valueFrom": object{"resource": object{"name": "r", "outputKey": "make.value"}}},
		}},
	}}
	plugin := s.plugin("value@1.0.0", s.overlay(), step{name: "make", script: script("make", good), outputs: []string{"value"}})
	p.write("create.yaml", render(t, nil, plugin, copied))
	p.run("Apply")
	p.ready()
	require.Equal(t, "value of copied", string(shop.outputs()["copied/make"].Data["value"]))
	shop.deleteOutputs()
	p.run("Apply")
	assert.Equal(t, map[string]string{"make": "Ready", "copy": "Stale"}, p.status("create.yaml").states())
	assert.Equal(t, map[string]string{"make": "Ready", "copy": "Stale"}, p.found().states())
	p.run("Run steps again")
	p.ready()
	assert.Equal(t, "value of copied", string(shop.outputs()["copied/make"].Data["value"]))
	assert.Equal(t, map[string]int{"make": 1}, s.runs("copied"))
}

// The report about a dump equals that of rplug status about the cluster, including why there is no Pod, and is always the
// same.
func TestStatusDump(t *testing.T) {
	s := newNamespace(t)
	p := newPage(s, "dumped")
	quota := func(pods int) {
		s.apply(fmt.Sprintf(`{apiVersion: v1, kind: ResourceQuota, metadata: {name: few, namespace: %s}, spec: {hard: {pods: "%d"}}}`,
			s.name, pods))
	}
	quota(0)
	plugin := s.plugin("dumped@1.0.0", s.overlay(), step{name: "make", script: script("make", good), outputs: []string{"value"}})
	p.write("create.yaml", render(t, nil, plugin, sandbox("dumped", "dumped", nil)))
	p.run("Apply")
	const read = "rplug status -f dump.json -f secrets.yaml"
	dump := "kubectl get jobs,pods,events -n " + s.name + " -o json > dump.json\n" +
		"kubectl get secrets -n " + s.name + " -o yaml > secrets.yaml\n" + read
	var text string
	require.Eventually(t, func() bool {
		text, _, _ = execute(p.command(dump), "")
		return strings.Contains(text, "FailedCreate")
	}, timeout, time.Second)
	assert.Contains(t, text, "exceeded quota")
	assert.Contains(t, text, "status: InProgress")
	quota(10)
	p.ready()
	text, _, err := execute(p.command(dump), "")
	require.NoError(t, err, text)
	again, _, err := execute(p.command(read), "")
	require.NoError(t, err)
	assert.Equal(t, text, again)
	assert.NotContains(t, text, "value of dumped")
}
