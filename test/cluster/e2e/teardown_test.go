//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// everyKind are the kinds of all objects of a sandbox.
const everyKind = "jobs,pods,configmaps,secrets,serviceaccounts,roles,rolebindings,deployments,replicasets,services,httproutes"

// Two clusters have sandboxes with the same name, rendered into one namespace: the documented teardown of one sandbox leaves
// none of its objects, and all objects of the other.
func TestLifecycleForkTeardown(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	install(t)
	baseline := strings.ReplaceAll(echo, "namespace: shop", "namespace: "+s.name)
	s.apply(baseline)
	s.rolledOut("echo")
	before := s.baseline()

	plugin := s.plugin("value@1.0.0", s.overlay(), step{name: "make", script: script("make", good), outputs: []string{"value"}})
	plugin["spec"].(object)["delete"] = []object{step{name: "drop", script: script("drop", "")}.document()}
	one, other := s.twin("one"), s.twin("other")
	for _, cluster := range []string{"one", "other"} {
		arguments := []string{"--cluster", cluster, "--routing", "gateway-api", "-"}
		s.apply(render(t, []string{"--cluster", cluster}, plugin, one, other))
		s.apply(function(t, "render-sandbox", baseline+"---\n"+texts(t, one, other), arguments...))
	}
	id, idOfOther := contract.DeriveSandboxID("one", "twin"), contract.DeriveSandboxID("other", "twin")
	for _, of := range []string{id, idOfOther} {
		s.rolledOut(s.ofSandbox(of, "deployments", "{.items[0].metadata.name}"))
		require.NotEmpty(t, s.ofSandbox(of, "httproutes", "{.items[*].metadata.name}"))
	}
	ids := must(t, "", "get", "deployments,jobs", "--all-namespaces", "-l", contract.SandboxKey+"=twin", "-L", contract.SandboxIDKey)
	assert.Contains(t, ids, " "+id+"\n")
	assert.Contains(t, ids, " "+idOfOther+"\n")
	s.ended()
	kept := s.ofSandbox(idOfOther, everyKind, uids)
	require.NotEmpty(t, kept)

	s.tearDown(plugin, one, id)
	assert.Equal(t, kept, s.ofSandbox(idOfOther, everyKind, uids), "the teardown must not change the other sandbox")
	assert.Equal(t, map[string]int{"fork value of twin": 20},
		s.answers("of-other", s.ofSandbox(idOfOther, "services", "{.items[0].metadata.name}")))

	s.tearDown(plugin, other, idOfOther)
	eventually(t, func() (string, error) { // Pods of forks end after their grace period
		left, err := kubectl("", "get", everyKind, "--namespace", s.name, "--output=name", "--selector", contract.SandboxKey)
		return strings.Join(strings.Fields(left), " "), err
	})
	assert.Equal(t, before, s.baseline(), "the teardown must not change the baseline")
	assert.Len(t, s.times(t, "twin", "drop", "end"), 2)
}

// uids prints the identities of objects, sorted by kind and name.
const uids = `{range .items[*]}{.kind}/{.metadata.name} {.metadata.uid}{"\n"}{end}`

// twin returns the sandbox "twin" of a cluster, with a fork.
func (s *testNamespace) twin(cluster string) object {
	twin := sandbox("twin", "value@1.0.0", nil)
	twin["spec"].(object)["cluster"] = cluster
	twin["spec"].(object)["forks"] = []object{{
		"forkOf": object{"kind": "Deployment", "namespace": s.name, "name": "echo"},
		"customizations": object{"env": []object{
			{"name": "GREETING", "value": "fork"},
			{"name": "DATABASE", "valueFrom": object{"resource": object{"name": "r", "outputKey": "make.value"}}},
		}},
	}}
	return twin
}

func (s *testNamespace) ofSandbox(id, kinds, path string) string {
	s.t.Helper()
	return must(s.t, "", "get", kinds, "--namespace", s.name, "--selector", contract.SandboxIDKey+"="+id, "--output=jsonpath="+path)
}

// tearDown runs the delete phase of a sandbox and then the commands of docs/howto/teardown.md. None of its objects may
// remain.
func (s *testNamespace) tearDown(plugin, of object, id string) {
	s.t.Helper()
	of["metadata"].(object)["annotations"] = map[string]string{contract.StateKey: "absent"}
	s.apply(render(s.t, nil, plugin, of))
	for key, end := range s.ended("--selector", contract.SandboxIDKey+"="+id) {
		require.Equal(s.t, "Complete", end, key)
	}
	assert.Empty(s.t, s.ofSandbox(id, "secrets", uids), "the cleanup must have deleted the Secrets")
	for _, command := range s.documented("httproutes", "jobs") {
		must(s.t, "", strings.Fields(strings.ReplaceAll(command, "=ID", "="+id))...)
	}
	assert.Empty(s.t, s.ofSandbox(id, everyKind, uids))
}

// documented returns the arguments of the page's kubectl commands that delete one of the kinds.
func (s *testNamespace) documented(kinds ...string) (commands []string) {
	s.t.Helper()
	page, err := os.ReadFile(filepath.Join(checkout.Root(), "docs", "howto", "teardown.md"))
	require.NoError(s.t, err)
	for _, match := range regexp.MustCompile(`kubectl (delete (\S+) [^`+"`"+`\n]*)`).FindAllStringSubmatch(string(page), -1) {
		if slices.ContainsFunc(strings.Split(match[2], ","), func(kind string) bool { return slices.Contains(kinds, kind) }) {
			commands = append(commands, match[1])
		}
	}
	require.Len(s.t, commands, len(kinds))
	return commands
}
