//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// A plain Deployment reads its own value: it waits for the first one, is restarted once for the second one, and never starts
// with an earlier one. After the teardown no Secret is left.
func TestLifecycleOutputSecret(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"beside", "elsewhere"} {
		t.Run(name, func(t *testing.T) {
			runners := newNamespace(t)
			shop := runners
			if name == "elsewhere" {
				shop = newNamedNamespace(t, runners.name+"-shop")
			}
			r := &reader{page: newPage(runners, "shop"), shop: shop}
			r.change("one", nil)
			r.awaitMissingKey()
			assert.Empty(t, r.started(), "no Pod may start before the value is published")
			assert.Equal(t, "InProgress", r.status("create.yaml").Status)
			runners.open(t, "go-1")
			r.ready()
			shop.rolledOut("echo")

			r.change("two", nil)
			r.awaitMissingKey()
			assert.Equal(t, []string{"one-1"}, r.started(), "the old Pod serves")
			runners.open(t, "go-2")
			r.ready()
			shop.rolledOut("echo")
			assert.Equal(t, []string{"one-1", "two-2"}, r.started(), "each value must start one Pod")
			assert.Equal(t, map[string]int{"make": 2}, runners.runs("shop"))

			r.run("Apply")
			r.ready()
			shop.rolledOut("echo")
			assert.Len(t, r.started(), 2, "the same render must restart nothing")

			r.change("two", map[string]string{contract.StateKey: "absent"})
			report := r.status("create.yaml", "--wait", "--timeout", timeout.String())
			require.Equal(t, "Ready", report.Status, "%+v", report)
			for _, namespace := range []*testNamespace{runners, shop} {
				assert.Empty(t, must(t, "", "get", "secrets", "--namespace", namespace.name, "-l", contract.SandboxKey+"=shop", "-o", "name"))
			}
			assert.Len(t, r.started(), 2, "the teardown must restart nothing")
		})
	}
}

// reader is a Deployment that reads an OutputSecret. Its container appends the value to the file "forks" of the runners.
type reader struct {
	*page
	shop *testNamespace
}

// change applies the documents, with a value of the param, as the page says. The step waits for the file "go-RUN" and publishes
// "VALUE-RUN", where RUN counts its runs.
func (r *reader) change(value string, annotations map[string]string) {
	r.t.Helper()
	makes := step{name: "make", outputs: []string{"value"}, script: script("make",
		"run=$(grep -c ' make start ' /shared/events)\nawait go-$run\nprintf %s \"$VALUE-$run\" > /outputs/value")}.document()
	makes["inputs"] = []object{{"name": "value", "valueFromSandbox": true, "as": object{"env": "VALUE"}}}
	plugin := r.plugin("value@1.0.0", r.overlay())
	plugin["spec"].(object)["create"] = []object{makes}
	of := sandbox("shop", "value", map[string]string{"value": value})
	if annotations != nil {
		of["metadata"].(object)["annotations"] = annotations
	}
	secret := document(contract.OutputSecret, "shop-db", nil,
		object{"sandbox": "shop", "resource": "r", "data": object{"DATABASE_URL": "make.value"}})
	secret["metadata"].(object)["namespace"] = r.shop.name
	workloads := function(r.t, "render-sandbox", texts(r.t, plugin, of, secret)+"\n---\n"+r.deployment(), "-")
	r.write("create.yaml", render(r.t, nil, plugin, of, secret)+"---\n"+workloads)
	r.run("Apply")
}

// awaitMissingKey waits until the kubelet reports that a container of the Deployment needs a key that does not exist.
func (r *reader) awaitMissingKey() {
	r.t.Helper()
	eventually(r.t, func() (string, error) {
		states, err := kubectl("", "get", "pods", "--namespace", r.shop.name, "--selector", "app=echo",
			"--output=jsonpath={.items[*].status.containerStatuses[*].state.waiting.reason}")
		if states != "CreateContainerConfigError" {
			return fmt.Sprintf("a Pod that waits for its key; its state is %q", states), err
		}
		return "", err
	})
}

// deployment is the Deployment of echo with one replica, which reads the Secret.
func (r *reader) deployment() string {
	first, _, _ := strings.Cut(echo, "---\n")
	return strings.NewReplacer(
		"namespace: shop", "namespace: "+r.shop.name, "replicas: 2", "replicas: 1",
		"mkdir /www;", `echo "$DATABASE" >> /shared/forks; mkdir /www;`,
		"{name: DATABASE, value: ours}", "{name: DATABASE, valueFrom: {secretKeyRef: {name: shop-db, key: DATABASE_URL}}}",
		"        image: busybox\n", "        image: busybox\n        volumeMounts: [{name: shared, mountPath: /shared}]\n",
		"      containers:\n", "      volumes: [{name: shared, hostPath: {path: \""+r.eventLog.folder+
			"\", type: Directory}}]\n      containers:\n",
	).Replace(first)
}

// started returns the values of the Pods, in the order of their starts.
func (r *reader) started() (values []string) {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.eventLog.folder, "forks"))
	if !os.IsNotExist(err) {
		require.NoError(r.t, err)
	}
	return strings.Fields(string(text))
}
