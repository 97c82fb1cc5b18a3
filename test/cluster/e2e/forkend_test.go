//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// writer is a baseline whose Pods record that they write, also for six seconds after they are told to end.
const writer = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: writer, namespace: NAMESPACE, labels: {app: writer}}
spec:
  replicas: 0
  selector: {matchLabels: {app: writer}}
  template:
    metadata: {labels: {app: writer}}
    spec:
      volumes: [{name: shared, hostPath: {path: "FOLDER", type: Directory}}]
      containers:
      - name: writer
        image: busybox
        volumeMounts: [{name: shared, mountPath: /shared}]
        command:
        - /bin/bash
        - -c
        - |
          note() { printf '%s fork %s %s %s\n' "$SIGNADOT_SANDBOX_NAME" "$1" "$EPOCHREALTIME" "$HOSTNAME" >> /shared/events; }
          left=forever
          trap 'left=10' TERM
          until [ "$left" = 0 ]; do
            note write
            [ "$left" = forever ] || left=$((left - 1))
            sleep 0.2
          done
          note end
`

// writing is a sandbox with a fork of writer, which uses no output. Its delete steps are "drop", of a plugin with an output, and
// "rm", of one without.
type writing struct {
	*page
	shop      *testNamespace
	arguments []string // of render-phase
	seen      int      // events that are those of an earlier life of the sandbox
}

func newWriting(t *testing.T, engineName string, arguments ...string) *writing {
	t.Helper()
	runners := newNamespace(t)
	runners.engine = engineName
	shop := newNamedNamespace(t, runners.name+"-shop")
	return &writing{page: newPage(runners, "writing"), shop: shop, arguments: arguments}
}

// documents returns the plugins and the sandbox. The create step "mk" waits for the file "go".
func (w *writing) documents(annotations map[string]string) []object {
	value := w.plugin("value@1.0.0", w.overlay(), step{name: "make", script: script("make", good), outputs: []string{"value"}})
	value["spec"].(object)["delete"] = []object{step{name: "drop", script: script("drop", ""), reads: []string{"make.value"}}.document()}
	plain := w.plugin("plain@1.0.0", w.overlay(), step{name: "mk", script: script("mk", "await go")})
	plain["spec"].(object)["delete"] = []object{step{name: "rm", script: script("rm", "")}.document()}
	of := sandbox(w.sandbox, "value@1.0.0", nil)
	of["metadata"].(object)["annotations"] = annotations
	spec := of["spec"].(object)
	spec["resources"] = append(spec["resources"].([]object), object{"name": "p", "plugin": "plain@1.0.0"})
	spec["forks"] = []object{{"forkOf": object{"kind": "Deployment", "namespace": w.shop.name, "name": "writer"}}}
	return []object{value, plain, of}
}

// rendered returns the steps and the fork, each as its function renders it.
func (w *writing) rendered(annotations map[string]string) string {
	w.t.Helper()
	documents := w.documents(annotations)
	baseline := strings.NewReplacer("NAMESPACE", w.shop.name, "FOLDER", w.folder()).Replace(writer)
	forks := function(w.t, "render-sandbox", baseline+"---\n"+texts(w.t, documents...), "-")
	return w.render(w.arguments, documents...) + "---\n" + forks
}

func (w *writing) folder() string { return w.eventLog.folder }

func (w *writing) absent() string {
	w.t.Helper()
	return w.rendered(map[string]string{contract.StateKey: "absent"})
}

// has reports whether the log has an event of a step, other than those that were seen.
func (w *writing) has(step, what string) bool {
	return slices.ContainsFunc(w.events(w.t)[w.seen:], func(e event) bool { return e.step == step && e.what == what })
}

// writes waits until the fork writes.
func (w *writing) writes() {
	w.t.Helper()
	eventually(w.t, func() (string, error) {
		if !w.has("fork", "write") {
			return "the first write of the fork", nil
		}
		return "", nil
	})
}

// created waits until the fork writes and all create steps have ended.
func (w *writing) created() {
	w.t.Helper()
	w.open(w.t, "go")
	w.writes()
	for key, end := range w.ended() {
		require.Equal(w.t, "Complete", end, key)
	}
}

// requireOrder waits until both delete steps have run, and checks that the fork wrote nothing after the first of them began.
// The lines of the log have the order in which they were written.
func (w *writing) requireOrder() {
	w.t.Helper()
	eventually(w.t, func() (string, error) {
		for _, step := range []string{"drop", "rm"} {
			if !w.has(step, "end") {
				return "the end of " + step, nil
			}
		}
		return "", nil
	})
	isDropped, writesLater, hasEnded, runs := false, 0, false, map[string]int{}
	for _, e := range w.events(w.t)[w.seen:] {
		isDropped = isDropped || e.step == "drop" || e.step == "rm"
		if e.step == "fork" && isDropped {
			writesLater++
		}
		hasEnded = hasEnded || e.step == "fork" && e.what == "end"
		if e.what == "start" && e.sandbox == w.sandbox {
			runs[e.step]++
		}
	}
	assert.Zero(w.t, writesLater, "the fork wrote to what was dropped")
	assert.True(w.t, hasEnded, "the fork must have had the time to end")
	assert.Equal(w.t, map[string]int{"make": 1, "mk": 1, "drop": 1, "rm": 1}, runs)
}

// prune deletes the fork as controllers do, which do not wait for its Pods.
func (w *writing) prune() {
	w.t.Helper()
	must(w.t, "", "delete", "deployments", "--namespace", w.shop.name, "--selector", contract.SandboxKey+"="+w.sandbox,
		"--cascade=background", "--wait=false")
}

// everything selects the Pods of forks, too: Kubernetes then counts again for one of several PodDisruptionBudgets.
const everything = "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: everything}, spec: {maxUnavailable: 1, selector: {}}}"

// With every tool, delete steps begin when the last Pod of the sandbox's forks has ended, even if users count these Pods, too, or
// the sandbox is created and torn down again.
func TestLifecycleForkEnd(t *testing.T) {
	t.Parallel()
	for _, tool := range deliveries {
		if tool.name == "argocd-server-side" { // as argocd
			continue
		}
		t.Run(tool.name, func(t *testing.T) {
			w := newWriting(t, "", "--delivery", tool.delivery)
			lives := 1
			if tool.delivery == "flux" {
				w.shop.apply(everything, "--namespace", w.shop.name)
				lives = 3
			}
			for range lives {
				w.seen = len(w.events(t))
				w.liveAndEnd(tool.delivery, func(manifest string) { tool.deliver(t, w.testNamespace, manifest) })
			}
		})
	}
}

// liveAndEnd creates the sandbox and tears it down.
func (w *writing) liveAndEnd(delivery string, deliver func(manifest string)) {
	w.t.Helper()
	present, absent := w.rendered(nil), w.absent()
	deliver(present)
	w.testNamespace.prune(present)
	w.created()
	switch delivery {
	case "kubectl":
		w.write("delete.yaml", absent)
		w.run("Teardown")
	case "helm", "kpt":
		deliver(absent)
	default: // controllers prune after they have applied
		deliver(absent)
		w.testNamespace.prune(absent)
		w.requireWait()
		w.prune()
	}
	w.requireOrder()
	for key, end := range w.ended() {
		assert.Equal(w.t, "Complete", end, key)
	}
	assert.Empty(w.t, w.outputs(), "the cleanup must have deleted the Secrets")
	secrets, err := list[secret](w.name, "secrets", "--selector", contract.HelperKey)
	require.NoError(w.t, err)
	assert.Empty(w.t, secrets)
}

// requireWait checks that nothing is deleted while the fork writes, and that status says so.
func (w *writing) requireWait() {
	w.t.Helper()
	w.write("delete.yaml", w.absent())
	eventually(w.t, func() (string, error) {
		for _, step := range w.jsonStatus("delete.yaml").Steps {
			if strings.HasSuffix(step.Step, "/r/forks") && strings.HasPrefix(step.Detail, "waits until no Pod of the sandbox's forks is left") {
				return "", nil
			}
		}
		return "the wait in rplug status", nil
	})
	time.Sleep(5 * time.Second)
	assert.False(w.t, w.has("drop", "start") || w.has("rm", "start"))
}

// Uninstalling a release with forks runs the delete phase when their Pods have ended.
func TestLifecycleForkEndUninstall(t *testing.T) {
	t.Parallel()
	w := newWriting(t, "", "--delivery", "helm", "--phases", "create,delete")
	helmUpgrade(t, w.testNamespace, w.rendered(nil))
	w.created()
	helm(t, w.testNamespace, "uninstall", "sandboxes", "--timeout", timeout.String())
	w.requireOrder()
}

// A fork that is not removed ends the wait, with a message and without a delete step. The documented commands continue.
func TestLifecycleForkEndLimit(t *testing.T) {
	t.Parallel()
	w := newWriting(t, "", "--delivery", "flux", "--step-timeout-seconds", "60")
	w.open(t, "go") // the create step has no more time
	w.apply(w.rendered(nil))
	w.created()
	w.write("create.yaml", w.absent())
	w.apply(w.absent())
	report := w.jsonStatus("create.yaml", "--wait", "--timeout", timeout.String())
	require.Equal(t, "Failed", report.Status)
	eventually(t, func() (string, error) { // the cause may be reported before the Pod's own message
		for _, step := range w.jsonStatus("create.yaml").Steps {
			for _, container := range step.Containers {
				if strings.Contains(container.Message, fmt.Sprintf("1 Pod is left in namespace %q", w.shop.name)) {
					return "", nil
				}
			}
		}
		return "the message of the helper", nil
	})
	w.ended()
	assert.Zero(t, w.runs(w.sandbox)["drop"]+w.runs(w.sandbox)["rm"])
	w.prune()
	w.run("Run steps again")
	w.requireOrder()
}

// With an engine of the cluster, the wait is a task before the delete steps.
func TestEngineForkEnd(t *testing.T) {
	onEngines(t, func(t *testing.T, name string) {
		t.Helper()
		w := newWriting(t, name, "--delivery", "flux")
		w.apply(w.rendered(nil))
		w.created()
		w.apply(w.absent())
		time.Sleep(15 * time.Second)
		assert.Zero(t, w.runs(w.sandbox)["drop"]+w.runs(w.sandbox)["rm"])
		w.prune()
		w.requireOrder()
	})
}

// With the controllers of Argo CD, the teardown of a sandbox, and the deletion of an Application with hooks.
func TestArgoCDForkEnd(t *testing.T) {
	t.Parallel()
	t.Run("Absent", func(t *testing.T) {
		w := newWriting(t, "", argoCDArguments...)
		a := newApplication(w.testNamespace)
		kept := "---\n" + render(t, argoCDArguments, w.kept()...)
		w.open(t, "go")
		revision := a.render(w.rendered(nil) + kept)
		a.create()
		a.await(revision, "Synced", "Healthy")
		w.created()
		a.render(w.absent() + kept)
		w.requireOrder()
	})
	t.Run("Deleted", func(t *testing.T) {
		w := newWriting(t, "", append(slices.Clone(argoCDArguments), "--phases", "create,delete")...)
		a := newApplication(w.testNamespace)
		w.open(t, "go")
		revision := a.render(w.rendered(nil))
		a.create()
		a.await(revision, "Synced", "Healthy")
		w.created()
		must(t, "", "delete", "application", a.name, "--namespace=argocd", "--timeout="+timeout.String())
		w.requireOrder()
	})
}

// With the controllers of Flux, which apply before they prune.
func TestFluxForkEnd(t *testing.T) {
	t.Parallel()
	w := newWriting(t, "", fluxArguments...)
	k := newKustomization(w.testNamespace)
	k.spec["timeout"] = "1m" // for the Secrets that the cleanup deletes
	w.open(t, "go")
	revision := k.render(w.rendered(nil))
	k.create()
	k.ready(revision)
	w.created()
	k.render(w.absent())
	w.requireOrder()
}

// A fork with the annotation starts when all create steps have ended, though it reads none of their outputs: beside the steps and
// in another namespace. After a change of a step, its old Pod serves until the step has ended again.
func TestLifecycleForkStart(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"beside", "elsewhere"} {
		t.Run(name, func(t *testing.T) {
			w := newWriting(t, "")
			if name == "beside" {
				w.shop = w.testNamespace
			}
			w.apply(w.rendered(map[string]string{contract.ForkStartKey: "after-create"}))
			w.started("make", w.sandbox)
			w.started("mk", w.sandbox)
			w.shop.awaitMissingSecret()
			assert.Empty(t, w.times(t, w.sandbox, "fork", "write"), "a create step still runs")
			w.open(t, "go")
			w.writes()
			ended := map[string]bool{}
			for _, e := range w.events(t) {
				if e.step == "fork" {
					break
				}
				ended[e.step] = ended[e.step] || e.what == "end"
			}
			assert.Equal(t, map[string]bool{"make": true, "mk": true}, ended, "the fork started before")

			w.apply(w.rendered(map[string]string{contract.ForkStartKey: "after-create"}))
			w.ended()
			w.write("create.yaml", w.rendered(map[string]string{contract.ForkStartKey: "after-create"}))
			assert.Equal(t, "Ready", w.status("create.yaml").Status)
			pods, err := list[pod](w.shop.name, "pods", "--selector", contract.ForkKey)
			require.NoError(t, err)
			assert.Len(t, pods, 1, "the same render restarts nothing")
		})
	}
}
