package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// healthInput is the input of tools/health.
type healthInput struct {
	Health           map[string]string `json:"health"`
	HealthCheckExprs any               `json:"healthCheckExprs"`
	Objects          []healthObject    `json:"objects"`
}

type healthObject struct {
	Live     map[string]any `json:"live"`
	Rendered map[string]any `json:"rendered,omitempty"`
}

// health is the output of tools/health for an object.
type health struct {
	ArgoCD, Flux, Kpt string
	OutOfSync         bool
}

// read returns the health of the objects in Argo CD, Flux and kpt.
func (in *healthInput) read(t *testing.T) (states []health) {
	t.Helper()
	text, err := json.Marshal(in)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(piped(t, text, checkout.Tool(t, "health")), &states))
	require.Len(t, states, len(in.Objects))
	return states
}

func piped(t *testing.T, stdin []byte, program string, args ...string) []byte {
	t.Helper()
	command := exec.Command(program, args...)
	command.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	require.NoError(t, err, "%s", stderr.String())
	return out
}

// ofUsers returns the settings that users copy, from the files of deploy. The pages about Argo CD and Flux show them.
func ofUsers(t *testing.T) *healthInput {
	t.Helper()
	const key = "resource.customizations.health."
	in := &healthInput{Health: map[string]string{}}
	for _, tool := range []string{"argocd", "flux"} {
		text, err := os.ReadFile(filepath.Join(checkout.Root(), "deploy", tool, "health.yaml"))
		require.NoError(t, err)
		_, shown, _ := strings.Cut(string(text), "\n") // after the comment
		page, err := os.ReadFile(filepath.Join(checkout.Root(), "docs", "howto", tool+".md"))
		require.NoError(t, err)
		assert.Contains(t, string(page), "```yaml\n"+shown+"```\n")
		var object struct {
			Data map[string]string
			Spec struct{ HealthCheckExprs []any }
		}
		require.NoError(t, yaml.Unmarshal(text, &object))
		if checks := object.Spec.HealthCheckExprs; checks != nil {
			in.HealthCheckExprs = checks
		}
		for name, script := range object.Data {
			kind, found := strings.CutPrefix(name, key)
			require.True(t, found, name)
			in.Health[strings.Replace(kind, "_", "/", 1)] = script
		}
	}
	require.Len(t, in.Health, 1)
	require.NotNil(t, in.HealthCheckExprs)
	return in
}

// With the documented settings, Argo CD and Flux recognize whether a Workflow or PipelineRun is running, has succeeded or
// has failed. kpt has no such settings.
func TestEngines_healthIsThatOfTheRun(t *testing.T) {
	t.Parallel()
	checkout.Tool(t, "health")
	const workflow, pipelineRun = "argoproj.io/v1alpha1 Workflow", "tekton.dev/v1 PipelineRun"
	// Recorded from Tekton 1.15; the states of Workflows are from Argo Workflows 3.7.
	const succeeded = "status: {conditions: [{lastTransitionTime: '2026-11-23T16:16:51Z', " +
		"message: 'Tasks Completed: 2 (Failed: 1, Cancelled 0), Skipped: 2', reason: %[2]s, status: '%[1]s', type: Succeeded}]}"
	running, done, failed := health{"Progressing", "InProgress", "Current", false}, health{"Healthy", "Current", "Current", false},
		health{"Degraded", "Failed", "Current", false}
	notSeen := health{"Progressing", "Unknown", "Current", false}
	cases := []struct {
		kind, status string
		want         health
	}{
		{workflow, "{}", notSeen},
		{workflow, "status: {}", running},
		{workflow, "status: {phase: Pending}", running},
		{workflow, "status: {phase: Running, conditions: [{status: 'False', type: PodRunning}]}", running},
		{workflow, "status: {phase: Succeeded, conditions: [{type: PodRunning, status: 'False'}, {type: Completed, status: 'True'}]}", done},
		{workflow, "status: {phase: Failed, conditions: [{status: 'False', type: PodRunning}, {status: 'True', type: Completed}]}", failed},
		{workflow, "status: {phase: Error, conditions: [{type: Completed, status: 'True'}]}", failed},
		{pipelineRun, "{}", notSeen},
		{pipelineRun, "status: {}", running},
		{pipelineRun, "status: {conditions: []}", running},
		{pipelineRun, "status: {conditions: [{type: Other, status: 'False'}]}", running},
		{pipelineRun, fmt.Sprintf(succeeded, "Unknown", "Started"), running},
		{pipelineRun, fmt.Sprintf(succeeded, "Unknown", "Running"), running},
		{pipelineRun, fmt.Sprintf(succeeded, "Unknown", "Cancelled"), running}, // some tasks have not ended
		{pipelineRun, fmt.Sprintf(succeeded, "True", "Succeeded"), done},
		{pipelineRun, fmt.Sprintf(succeeded, "True", "Completed"), done}, // tasks were skipped
		{pipelineRun, fmt.Sprintf(succeeded, "False", "Failed"), failed},
		{pipelineRun, fmt.Sprintf(succeeded, "False", "Cancelled"), failed},
		{pipelineRun, fmt.Sprintf(succeeded, "False", "PipelineRunTimeout"), failed},
	}
	in := ofUsers(t)
	for _, c := range cases {
		var live map[string]any
		require.NoError(t, yaml.UnmarshalStrict([]byte(c.status), &live))
		apiVersion, kind, _ := strings.Cut(c.kind, " ")
		live["apiVersion"], live["kind"], live["metadata"] = apiVersion, kind, map[string]any{"name": "a", "generation": 1}
		in.Objects = append(in.Objects, healthObject{Live: live})
	}
	for i, state := range in.read(t) {
		assert.Equal(t, cases[i].want, state, "%s %s", cases[i].kind, cases[i].status)
	}
	in.Health, in.HealthCheckExprs = nil, nil
	for i, state := range in.read(t) {
		assert.Empty(t, state.Flux)
		assert.Equal(t, cases[i].kind == pipelineRun, state.ArgoCD == "", "only Workflows have a check of their own")
	}
}

// The engines add defaults to the objects of a render, which Argo CD does not revert.
func TestEngines_staySynchronized(t *testing.T) {
	t.Parallel()
	engines := checkout.Tool(t, "engines")
	in := &healthInput{}
	program := filepath.Join(t.TempDir(), "render-phase")
	require.NoError(t, checkout.BuildProgram(program, "functions/render-phase"))
	for _, engine := range []string{"argo", "tekton"} {
		for _, example := range []string{"hello-db", "orders-db/documents.yaml", "postgres"} {
			render := exec.Command(program, "--engine", engine, "--delivery", "argocd", filepath.Join(checkout.Root(), "examples", example))
			rendered, err := render.Output()
			require.NoError(t, err)
			in.Objects = append(in.Objects, storedByEngine(t, engines, rendered)...)
		}
	}
	require.Greater(t, len(in.Objects), 5)
	for i, state := range in.read(t) {
		object := &in.Objects[i]
		assert.False(t, state.OutOfSync, object.Rendered["kind"])
		assert.NotEqual(t, object.Rendered["spec"], object.Live["spec"], "%s: nothing is added", object.Rendered["kind"])
		object.Rendered["spec"].(map[string]any)["other"] = "x"
	}
	for i, state := range in.read(t) {
		assert.True(t, state.OutOfSync, in.Objects[i].Rendered["kind"])
	}
}

// storedByEngine returns the workloads of a render, both as rendered and as stored in the cluster.
func storedByEngine(t *testing.T, engines string, rendered []byte) (objects []healthObject) {
	t.Helper()
	var workloads []map[string]any
	for document := range strings.SplitSeq(string(rendered), "\n---\n") {
		var object map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(document), &object))
		if kind := object["kind"]; kind == "Workflow" || kind == "PipelineRun" {
			workloads = append(workloads, object)
		}
	}
	stored := bytes.Split(bytes.TrimSpace(piped(t, rendered, engines, "stored")), []byte("\n"))
	require.Len(t, stored, len(workloads))
	for i := range stored {
		object := healthObject{Rendered: workloads[i]}
		require.NoError(t, json.Unmarshal(stored[i], &object.Live))
		objects = append(objects, object)
	}
	return objects
}
