//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine/argo"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// exampleRun runs an example from its first apply to its removal.
type exampleRun struct {
	*testNamespace
	shop               *testNamespace // the namespace of the sandbox's workload, or nil
	documents, sandbox string
	arguments          []string // of render-phase
}

// example reads the documents of an example and replaces its namespaces "databases" and "shop".
func example(s, shop *testNamespace, sandbox string, files ...string) exampleRun {
	var documents []string
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(checkout.Root(), "examples", file))
		require.NoError(s.t, err)
		documents = append(documents, s.rename(shop, string(text)))
	}
	return exampleRun{testNamespace: s, shop: shop, documents: strings.Join(documents, "\n---\n"), sandbox: sandbox}
}

func (s *testNamespace) rename(shop *testNamespace, text string) string {
	text = strings.ReplaceAll(text, "databases", s.name)
	if shop != nil {
		text = strings.ReplaceAll(text, "namespace: shop", "namespace: "+shop.name)
	}
	return text
}

// render renders the example. For the delete phase it adds the annotation, as a user does.
func (l exampleRun) render(phase string) string {
	l.t.Helper()
	documents, name := l.documents, "  name: "+l.sandbox+"\n"
	if phase == "delete" {
		const absent = "  annotations:\n    resourceplugins.dev/state: absent\n"
		documents = strings.Replace(documents, name, name+absent, 1)
		documents = strings.Replace(documents, absent+"  annotations:\n", absent, 1)
		require.NotEqual(l.t, l.documents, documents)
	}
	return function(l.t, "render-phase", documents, slices.Concat(longStartTimeout, l.arguments, []string{"-"})...)
}

// on sets the engine that runs the steps.
func (l exampleRun) on(name string) exampleRun {
	l.engine = name
	l.arguments = append(slices.Clone(l.arguments), "--engine", name)
	return l
}

// run applies a phase and waits until all of its workloads are complete.
func (l exampleRun) run(phase string) {
	l.t.Helper()
	l.apply(l.render(phase))
	selector := "--selector=" + contract.SandboxKey + "=" + l.sandbox + "," + contract.PhaseKey + "=" + phase
	ends := l.ended(selector)
	require.NotEmpty(l.t, ends)
	for key, end := range ends {
		require.Equal(l.t, "Complete", end, "%s of %s", key, phase)
	}
}

// remove deletes all objects with the sandbox's label, as described in docs/howto/kubectl.md. No Secret may have the label:
// the cleanup has deleted the outputs and their copies.
func (l exampleRun) remove() {
	l.t.Helper()
	for _, s := range []*testNamespace{l.testNamespace, l.shop} {
		if s == nil {
			continue
		}
		namespace := s.name
		secrets, err := list[secret](namespace, "secrets", "--selector", contract.SandboxKey+"="+l.sandbox)
		require.NoError(l.t, err)
		assert.Empty(l.t, secrets, "Secrets in %s", namespace)
		kinds := "pods,configmaps,serviceaccounts,roles,rolebindings," + workloads[l.engine]
		must(l.t, "", "delete", kinds, "--namespace", namespace, "--selector", contract.SandboxKey+"="+l.sandbox)
		left := must(l.t, "", "get", kinds+",secrets", "--namespace", namespace, "--output=name",
			"--selector", contract.ManagedByKey+"="+contract.ManagedBy+","+contract.SandboxKey)
		assert.Empty(l.t, left, "remaining objects in %s", namespace)
	}
}

func TestLifecycleHelloDB(t *testing.T) {
	t.Parallel()
	helloDB(t, jobs.Name)
}

func helloDB(t *testing.T, engineName string) {
	t.Helper()
	l := example(newNamespace(t), nil, "feature-x", "hello-db/plugin.yaml", "hello-db/sandbox.yaml")
	l.arguments = []string{"--runner-namespace", l.name}
	l = l.on(engineName)
	l.run("create")
	l.requireLogs("hello test\n", "create")
	l.run("delete")
	l.requireLogs("goodbye\n", "delete")
	l.remove()
}

func (l exampleRun) requireLogs(want, phase string) {
	l.t.Helper()
	if l.engine == argo.Name { // which has removed the Pods
		return
	}
	assert.Equal(l.t, want, must(l.t, "", "logs", "--namespace", l.name, "--container="+mainContainers[l.engine], "--tail=-1",
		"--selector="+contract.SandboxKey+"="+l.sandbox+","+contract.PhaseKey+"="+phase))
}

// output returns the Secret with the outputs of a step in a space.
func (l exampleRun) output(in *testNamespace, step string) secret {
	l.t.Helper()
	found, err := list[secret](in.name, "secrets", "--selector", contract.SandboxKey+"="+l.sandbox+","+contract.StepKey+"="+step)
	require.NoError(l.t, err)
	require.Len(l.t, found, 1, "Secrets of %s in %s", step, in.name)
	return found[0]
}

// client runs a command in a Pod with a variable from a Secret, and returns its output.
func client(s *testNamespace, name, image, variable string, from secret, key, command string) string {
	s.t.Helper()
	reference := object{"secretKeyRef": object{"name": from.Metadata.Name, "key": key}}
	return shell(s, name, image, command, object{"name": variable, "valueFrom": reference})
}

// reachable waits until a Service is reachable by name: DNS and kube-proxy take a moment.
func reachable(s *testNamespace, host string, port int) {
	s.t.Helper()
	name := "reaches-" + strings.ReplaceAll(host, ".", "-")
	shell(s, name, "busybox", fmt.Sprintf("until nc -w 2 %s %d -e true; do sleep 0.5; done", host, port))
}

// shell runs a command in a Pod with environment variables, and returns its output.
func shell(s *testNamespace, name, image, command string, variables ...object) string {
	s.t.Helper()
	manifest, err := json.Marshal(object{
		"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": name, "namespace": s.name},
		"spec": object{"restartPolicy": "Never", "containers": []object{{
			"name": "main", "image": image, "command": []string{"/bin/sh", "-ec", command}, "env": variables,
		}}},
	})
	require.NoError(s.t, err)
	s.apply(string(manifest))
	eventually(s.t, func() (string, error) {
		phase, err := kubectl("", "get", "pod", name, "--namespace", s.name, "--output=jsonpath={.status.phase}")
		if phase != "Succeeded" && phase != "Failed" {
			return "the end of Pod " + name, err
		}
		return "", err
	})
	return must(s.t, "", "logs", name, "--namespace", s.name)
}
