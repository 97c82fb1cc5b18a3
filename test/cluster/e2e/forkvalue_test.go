//go:build e2e

package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A fork whose value changes is restarted once, when the new value is published; until then its old Pod serves. No Pod
// starts with an earlier value, also when a param returns to an earlier value.
func TestLifecycleForkValue(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"beside", "elsewhere"} {
		t.Run(name, func(t *testing.T) {
			runners := newNamespace(t)
			shop := runners
			if name == "elsewhere" {
				shop = newNamedNamespace(t, runners.name+"-shop")
			}
			p := newPage(runners, "forked")
			f := &forkedValue{page: p, shop: shop}
			f.baseline = f.ledgerBaseline()
			shop.apply(f.baseline)
			shop.rolledOut("echo")

			f.change("one")
			runners.open(t, "go-1")
			f.requireServed("one-1")
			var served []string
			for i, value := range []string{"two", "one"} {
				served = append(served, f.started()[i])
				f.change(value)
				shop.awaitMissingSecret()
				assert.Equal(t, "InProgress", p.status("create.yaml").Status)
				assert.Equal(t, map[string]int{"fork " + served[i]: 20}, shop.answers(fmt.Sprint("during-", i), shop.named("services")),
					"the old Pod must serve")
				runners.open(t, fmt.Sprint("go-", i+2))
				f.requireServed(fmt.Sprintf("%s-%d", value, i+2))
			}
			assert.Equal(t, []string{"one-1", "two-2", "one-3"}, f.started(), "each value must start one Pod")
			assert.Equal(t, map[string]int{"make": 3}, runners.runs("forked"))

			p.run("Apply")
			p.ready()
			shop.rolledOut(shop.named("deployments"))
			assert.Len(t, f.started(), 3, "the same render must restart nothing")
		})
	}
}

// forkedValue is a sandbox with a fork that reads an output, whose Pods record the value when they start.
type forkedValue struct {
	*page
	shop     *testNamespace
	baseline string
}

// ledgerBaseline returns the Deployment of echo, whose containers append their value to the file "forks" of the runners.
func (f *forkedValue) ledgerBaseline() string {
	return strings.NewReplacer(
		"namespace: shop", "namespace: "+f.shop.name,
		"mkdir /www;", `echo "$DATABASE" >> /shared/forks; mkdir /www;`,
		"        image: busybox\n", "        image: busybox\n        volumeMounts: [{name: shared, mountPath: /shared}]\n",
		"      containers:\n", fmt.Sprintf("      volumes: [{name: shared, hostPath: {path: %q, type: Directory}}]\n      containers:\n",
			f.eventLog.folder),
	).Replace(echo)
}

// change applies the sandbox with a value of the param as the page says. The step waits for the file "go-RUN" and publishes
// "VALUE-RUN", where RUN counts its runs.
func (f *forkedValue) change(value string) {
	f.t.Helper()
	makes := step{name: "make", outputs: []string{"value"}, script: script("make",
		"run=$(grep -c ' make start ' /shared/events)\nawait go-$run\nprintf %s \"$VALUE-$run\" > /outputs/value")}.document()
	makes["inputs"] = []object{{"name": "value", "valueFromSandbox": true, "as": object{"env": "VALUE"}}}
	plugin := f.plugin("value@1.0.0", f.overlay())
	plugin["spec"].(object)["create"] = []object{makes}
	forked := sandbox("forked", "value", map[string]string{"value": value})
	forked["spec"].(object)["forks"] = []object{{
		"forkOf": object{"kind": "Deployment", "namespace": f.shop.name, "name": "echo"},
		"customizations": object{"env": []object{
			{"name": "GREETING", "value": "fork"},
			{"name": "DATABASE", "valueFrom": object{"resource": object{"name": "r", "outputKey": "make.value"}}},
		}},
	}}
	forks := function(f.t, "render-sandbox", f.baseline+"---\n"+texts(f.t, plugin, forked), "-")
	f.write("create.yaml", render(f.t, nil, plugin, forked)+"---\n"+forks)
	f.run("Apply")
}

// requireServed waits until the sandbox is ready and only Pods with the value serve. After a rollout, kube-proxy sends requests
// to the Pod that is being terminated until it has read the new endpoints.
func (f *forkedValue) requireServed(value string) {
	f.t.Helper()
	f.ready()
	fork := f.shop.named("deployments")
	f.shop.rolledOut(fork)
	tries := 0
	eventually(f.t, func() (string, error) {
		tries++
		answers := f.shop.answers(fmt.Sprintf("of-%s-%d", value, tries), f.shop.named("services"))
		if !maps.Equal(answers, map[string]int{"fork " + value: 20}) {
			return fmt.Sprintf("only answers of %q, but had %v", value, answers), nil
		}
		return "", nil
	})
}

// started returns the values of the Pods of the fork, in the order of their starts.
func (f *forkedValue) started() (values []string) {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join(f.eventLog.folder, "forks"))
	require.NoError(f.t, err)
	for line := range strings.Lines(string(text)) {
		if value := strings.TrimSpace(line); value != "ours" { // of the baseline
			values = append(values, value)
		}
	}
	return values
}
