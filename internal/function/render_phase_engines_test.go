package function

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// Argo Workflows and Tekton accept the workloads of the examples, and of real plugins if there are any: their types,
// their schemas and their validators.
func TestEnginesAcceptWhatIsRendered(t *testing.T) {
	t.Parallel()
	oracle := checkout.Tool(t, "engines")
	inputs := [][]string{
		{"hello-db"}, {"postgres"}, {"postgres/plugin.yaml", "shop"}, {"orders-db/documents.yaml"},
	}
	for i, input := range inputs {
		for n := range input {
			inputs[i][n] = filepath.Join(checkout.Root(), "examples", input[n])
		}
	}
	if checkout.HasCorpus() {
		folders, err := filepath.Glob(filepath.Join(checkout.Corpus(t), "signadot", "plugins", "*"))
		require.NoError(t, err)
		require.NotEmpty(t, folders)
		for _, folder := range folders {
			inputs = append(inputs, []string{filepath.Join(folder, "plugin.yaml"), filepath.Join(folder, "example-sandbox.yaml")})
		}
	}
	for name, kind := range map[string]string{"argo": "Workflow", "tekton": "PipelineRun"} {
		var all strings.Builder
		for _, input := range inputs {
			for _, phase := range []string{"create", "delete"} {
				var stdout, stderr bytes.Buffer
				code := renderphase.New().Run(t.Context(), append([]string{
					"--engine", name, "--phases", phase, "--set", "cluster=c", "--set", "namespace=ns", "--set", "tfstate-bucket=b",
				}, input...), strings.NewReader(""), &stdout, &stderr)
				require.Zero(t, code, "%v: %s", input, stderr.String())
				require.Contains(t, stdout.String(), "\nkind: "+kind+"\n", "%v", input)
				require.NotContains(t, stdout.String(), "kind: Job", "%v", input)
				all.WriteString("---\n" + stdout.String())
			}
		}
		command := exec.Command(oracle)
		command.Stdin = strings.NewReader(all.String())
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Contains(t, string(out), "checked ")
		t.Logf("%s: %s", name, out)
	}
}

// A package that changes its engine has the objects of the new one alone.
func TestPhaseReplacesTheWorkloadsOfAnotherEngine(t *testing.T) {
	t.Parallel()
	docs := documents(checkout.Random(t), 4)
	render := func(list, name string) string {
		list, _, _ = strings.Cut(list, "\nfunctionConfig:")
		return phaseWithoutResults(phaseRunList(t, strings.TrimRight(list, "\n")+"\nfunctionConfig: {apiVersion: "+
			"resourceplugins.dev/v1alpha1, kind: RenderPhase, metadata: {name: x}, engine: "+name+"}\n"))
	}
	list := phaseList(docs)
	for _, name := range []string{"jobs", "argo", "tekton", "argo", "jobs"} {
		list = render(list, name)
		assert.Equal(t, phaseObjects(render(phaseList(docs), name)), phaseObjects(list), name)
	}
}

// The cleanup is the last task, and waits for all delete steps.
func TestCleanupIsTheLastTask(t *testing.T) {
	t.Parallel()
	plugin := strings.Replace(pluginAndSandbox, "  delete:\n", "  delete:\n  - {name: cleanup, script: x}\n  - {name: other, script: x}\n", 1)
	assert.Contains(t, runFiles(t, plugin, "--phases", "delete", "--engine", "argo"), `      tasks:
      - name: cleanup
        template: cleanup
      - name: other
        template: other
      - name: drop
        template: drop
      - dependencies:
        - cleanup
        - other
        - drop
        name: cleanup-`)
	assert.Contains(t, runFiles(t, plugin, "--phases", "delete", "--engine", "tekton"), `
      runAfter:
      - cleanup
      - other
      - drop
`)
}
