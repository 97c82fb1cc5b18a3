//go:build e2e

package e2e

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine/argo"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
	"github.com/resource-plugins/krm-functions/internal/engine/tekton"
)

// mainContainers are the names of main in Pods, by engine.
var mainContainers = map[string]string{
	"": contract.MainContainer, jobs.Name: contract.MainContainer, argo.Name: contract.MainContainer,
	tekton.Name: "step-" + contract.MainContainer,
}

// installEngines installs Argo Workflows and Tekton on the node, once.
func installEngines(t *testing.T) {
	t.Helper()
	installed.Do(func() { nodeScript(t, "engines") })
}

// installed runs once, when the node gets both engines.
var installed sync.Once

// onEngines runs a test on Argo Workflows and on Tekton.
func onEngines(t *testing.T, test func(*testing.T, string)) {
	t.Helper()
	installEngines(t)
	for _, name := range []string{argo.Name, tekton.Name} {
		t.Run(name, func(t *testing.T) { test(t, name) })
	}
}

// newEngineNamespace creates a namespace whose workloads run on an engine.
func newEngineNamespace(t *testing.T, name string, labels ...string) *testNamespace {
	t.Helper()
	s := newNamespace(t, labels...)
	s.engine = name
	return s
}

// render runs render-phase for the engine of the namespace.
func (s *testNamespace) render(arguments []string, documents ...object) string {
	s.t.Helper()
	return render(s.t, append([]string{"--engine", cmp.Or(s.engine, jobs.Name)}, arguments...), documents...)
}

// requireHidden checks that a value is only in Secrets of the namespace.
func (s *testNamespace) requireHidden(value string) {
	s.t.Helper()
	kinds := "pods,configmaps,events"
	if s.engine != "" {
		kinds += "," + workloads[s.engine]
	}
	kinds += map[string]string{argo.Name: ",workflowtaskresults", tekton.Name: ",taskruns"}[s.engine]
	objects := must(s.t, "", "get", kinds, "--namespace", s.name, "--output=json")
	for _, text := range []string{value, base64.StdEncoding.EncodeToString([]byte(value))} {
		if strings.Contains(objects, text) {
			require.Fail(s.t, "a value of an output is in an object that is no Secret")
		}
	}
}

func TestEngineLifecycleHelloDB(t *testing.T) { onEngines(t, helloDB) }

func TestEngineLifecyclePostgres(t *testing.T) { onEngines(t, postgres) }

func TestEngineLifecycleOrdersDB(t *testing.T) { onEngines(t, ordersDB) }

func TestEngineReapply(t *testing.T) { onEngines(t, reapply) }

func TestEngineValues(t *testing.T) { onEngines(t, values) }

// Params and outputs of 900 kB arrive unchanged.
func TestEngineLargeValues(t *testing.T) {
	onEngines(t, func(t *testing.T, name string) {
		t.Helper()
		s := newEngineNamespace(t, name)
		large := strings.Repeat("{{workflow.name}} $(params.x) $$ \"'\\\n\t", 900_000/37)
		first := step{name: "make", script: script("make", "cat /inputs/big > /outputs/value"), outputs: []string{"value"}}.document()
		first["inputs"] = []object{{"name": "big", "valueFromSandbox": true, "as": object{"path": "/inputs/big"}}}
		plugin := s.plugin("large@1.0.0", s.overlay(), step{
			name: "use", script: script("use", "cat /inputs/make.value > /outputs/value"),
			reads: []string{"make.value"}, outputs: []string{"value"}, files: true,
		})
		plugin["spec"].(object)["create"] = append([]object{first}, plugin["spec"].(object)["create"].([]object)...)
		must(t, s.render(nil, plugin, sandbox("large", "large", map[string]string{"big": large})), "create", "-f", "-")
		s.succeeded(1)
		for _, step := range []string{"make", "use"} {
			requireSame(t, large, s.outputs()["large/"+step].Data["value"], "%s must pass it unchanged", step)
		}
	})
}

// Each engine can delete a sandbox that another one has created.
func TestEngineDeletesWhatAnotherCreated(t *testing.T) {
	onEngines(t, func(t *testing.T, name string) {
		t.Helper()
		for _, order := range [][2]string{
			{name, jobs.Name}, {jobs.Name, name},
			{name, map[string]string{argo.Name: tekton.Name, tekton.Name: argo.Name}[name]},
		} {
			t.Run(strings.Join(order[:], "-"), func(t *testing.T) { createAndDelete(t, order[0], order[1]) })
		}
	})
}

func createAndDelete(t *testing.T, first, second string) {
	t.Helper()
	s := newEngineNamespace(t, first)
	plugin := s.plugin("both@1.0.0", s.overlay(),
		step{name: "make", script: script("make", good), outputs: []string{"value"}},
		step{name: "use", script: script("use", `[ "$MAKE_VALUE" = "value of $SIGNADOT_SANDBOX_NAME" ]`), reads: []string{"make.value"}})
	plugin["spec"].(object)["delete"] = []object{
		step{name: "drop", script: script("drop", `[ "$MAKE_VALUE" = "value of $SIGNADOT_SANDBOX_NAME" ]`),
			reads: []string{"make.value"}}.document(),
	}
	s.apply(s.render(nil, plugin, sandbox("both", "both@1.0.0", nil)))
	s.ended()
	require.Equal(t, "value of both", string(s.outputs()["both/make"].Data["value"]))
	s.engine = second
	s.apply(s.render([]string{"--phases", "delete"}, plugin, sandbox("both", "both@1.0.0", nil)))
	for key, end := range s.ended("--selector", contract.PhaseKey+"=delete") {
		assert.Equal(t, "Complete", end, key)
	}
	assert.Equal(t, map[string]int{"make": 1, "use": 1, "drop": 1}, s.runs("both"))
	assert.Empty(t, s.outputs(), "the cleanup removes all Secrets")
}

// In a namespace that enforces Pod Security "restricted", a flow with outputs runs if it is rendered for it. Tekton needs a
// setting to comply.
func TestEngineRestricted(t *testing.T) {
	onEngines(t, func(t *testing.T, name string) {
		t.Helper()
		if name == tekton.Name {
			flags := func(value string) {
				must(t, "", "patch", "configmap", "feature-flags", "--namespace=tekton-pipelines", "--type=merge",
					fmt.Sprintf(`--patch={"data":{"set-security-context":%q}}`, value))
			}
			flags("true")
			t.Cleanup(func() { flags("false") })
		}
		s := newEngineNamespace(t, name, "pod-security.kubernetes.io/enforce=restricted")
		plugin := s.plugin("calm@1.0.0", unprivileged,
			step{name: "make", script: "#!/bin/sh\nset -eu\n" + good + "\n", outputs: []string{"value"}},
			step{name: "read", script: "#!/bin/sh\n[ \"$MAKE_VALUE\" = \"value of $SIGNADOT_SANDBOX_NAME\" ]\n", reads: []string{"make.value"}},
			step{name: "bare", script: "#!/bin/sh\n"})
		plugin["spec"].(object)["delete"] = []object{
			step{name: "drop", script: "#!/bin/sh\n[ -n \"$MAKE_VALUE\" ]\n", reads: []string{"make.value"}}.document(),
		}
		restricted := []string{"--pod-security", "restricted"}
		s.apply(s.render(restricted, plugin, sandbox("calm", "calm@1.0.0", nil)))
		s.succeeded(1)
		s.apply(s.render(append(restricted, "--phases", "delete"), plugin, sandbox("calm", "calm@1.0.0", nil)))
		s.succeeded(1)
		assert.Empty(t, s.outputs())
	})
}

// logs returns the logs of a sandbox's containers.
func (s *testNamespace) logs(sandbox string) string {
	s.t.Helper()
	var all bytes.Buffer
	pods, err := list[pod](s.name, "pods", "--selector", contract.SandboxKey+"="+sandbox)
	require.NoError(s.t, err)
	for _, one := range pods {
		text, _ := kubectl("", "logs", one.Metadata.Name, "--namespace", s.name, "--all-containers", "--ignore-errors")
		all.WriteString(text)
	}
	return all.String()
}

// A failure is reported at once, with its cause, by rplug status and by the template for kubectl. After the script is fixed
// and applied, the report is about the new render.
func TestEngineStatus(t *testing.T) {
	onEngines(t, func(t *testing.T, name string) {
		t.Helper()
		s := newEngineNamespace(t, name)
		p := newPage(s, "failed")
		broken := s.render(nil, s.failing("exit 3"), sandbox("failed", "failing", nil))
		p.write("create.yaml", broken)
		assert.Equal(t, "Missing", p.status("create.yaml").Status)
		s.apply(broken)
		report := p.status("create.yaml", "--wait", "--timeout", timeout.String())
		require.Equal(t, "Failed", report.Status)
		s.open(t, "go")
		assert.Equal(t, map[string]string{"failed/": "Failed"}, s.ended())
		want := map[string]string{"make": "Failed", "use": "Failed", "slow": "Ready"}
		assert.Equal(t, want, p.status("create.yaml").states())
		assert.Equal(t, want, p.found().states())
		for _, step := range p.found().Steps {
			if strings.HasSuffix(step.Step, "/make") {
				assert.Contains(t, step.Detail, map[string]string{
					argo.Name: "the script exited with 3", tekton.Name: `"step-main" exited with code 3`,
				}[name])
			}
		}

		fixed := s.render(nil, s.failing(good), sandbox("failed", "failing", nil))
		p.write("create.yaml", fixed)
		s.apply(fixed)
		p.ready()
		assert.Equal(t, map[string]int{"make": 2, "use": 1, "slow": 1}, s.runs("failed"))
	})
}
