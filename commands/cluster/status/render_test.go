package status

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// renderOf returns a render of objects.
func renderOf(t *testing.T, objects ...manifest) (*Render, error) {
	t.Helper()
	items := make([]*krm.Item, len(objects))
	for i, o := range objects {
		metadata := o["metadata"].(manifest)
		delete(metadata, "uid")
		delete(o, "status")
		text, err := yaml.Marshal(o)
		require.NoError(t, err)
		items[i], err = krm.NewItem(text)
		require.NoError(t, err)
	}
	return NewRender(items, nil)
}

// list returns existing objects, read from kubectl's output.
func list(t *testing.T, objects ...manifest) *Objects {
	t.Helper()
	text, err := json.Marshal(manifest{"kind": "List", "items": objects})
	require.NoError(t, err)
	read := &Objects{}
	require.NoError(t, read.Read(text))
	return read
}

func statesOf(report *Report) map[string]State {
	found := map[string]State{}
	for _, step := range report.Steps {
		found[step.Object] = step.State
	}
	return found
}

func TestJudge(t *testing.T) {
	t.Parallel()
	render, err := renderOf(t,
		secret("create", "make", ""), job("create", "make", ""), without(job("create", "tell", "")),
		annotated(job("delete", "drop", ""), "helm.sh/hook", "post-delete"))
	require.NoError(t, err)
	for _, c := range []struct {
		name   string
		live   *Objects
		want   State
		states map[string]State
	}{
		{"nothing exists", &Objects{}, Missing, map[string]State{"job/job-make": Missing, "job/job-tell": Missing}},
		{
			"all is ready",
			list(t, secret("create", "make", "new"), job("create", "make", "Complete"), without(job("create", "tell", "Complete"))),
			Ready, map[string]State{"job/job-make": Ready, "job/job-tell": Ready},
		},
		{
			"a Job was removed after its end", list(t, secret("create", "make", "new"), without(job("create", "tell", "Complete"))),
			Ready, map[string]State{"job/job-make": Ready, "job/job-tell": Ready},
		},
		{
			"another render is applied", list(t, secret("create", "make", "old"), without(job("create", "tell", "Complete"))),
			Missing, map[string]State{"job/job-make": Missing, "job/job-tell": Ready},
		},
		{
			"a Job without outputs was deleted", list(t, secret("create", "make", "new"), job("create", "make", "Complete")),
			Missing, map[string]State{"job/job-make": Ready, "job/job-tell": Missing},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			report := render.Judge(c.live)
			assert.Equal(t, c.want, report.Status)
			assert.Equal(t, c.states, statesOf(report))
		})
	}
}

// The query contains only objects of the requested kinds.
func TestQuery(t *testing.T) {
	t.Parallel()
	render, err := renderOf(t, secret("create", "make", ""), job("create", "make", ""),
		manifest{"apiVersion": "v1", "kind": "ConfigMap", "metadata": manifest{"name": "script"}},
		manifest{"apiVersion": "v1", "kind": "Secret", "metadata": manifest{"name": "of-a-user"}})
	require.NoError(t, err)
	for kind, want := range map[string]string{
		"Secret": `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"of-make","namespace":"ns"}}`,
		"Job":    `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"job-make","namespace":"ns"}}`,
	} {
		assert.Equal(t, want+"\n", string(render.Query(kind, "Pod")))
	}
}

func TestNewRender_needsSteps(t *testing.T) {
	t.Parallel()
	for _, objects := range [][]manifest{
		nil, {secret("create", "make", "")}, {annotated(job("delete", "drop", ""), "helm.sh/hook", "post-delete")},
	} {
		_, err := renderOf(t, objects...)
		assert.EqualError(t, err, "there is no rendered Job, Pod, Workflow or PipelineRun to wait for")
	}
}

// A failed Job lists the failed containers with the last lines of their termination messages.
func TestJudge_failedJob(t *testing.T) {
	t.Parallel()
	render, err := renderOf(t, secret("create", "make", ""), job("create", "make", ""))
	require.NoError(t, err)
	pod := podOfJob("job-make", failedContainersOf("main", "no disk\nthe script exited with 3\n"))
	other := podOfJob("job-other", failedContainersOf("main", ""))
	report := render.Judge(list(t, secret("create", "make", ""), job("create", "make", "Failed"), pod, other))
	assert.Equal(t, map[string]map[string][]string{"ns": {"batch.kubernetes.io/job-name": {"job-make"}}}, report.Unready())
	require.Len(t, report.Steps, 1)
	assert.Equal(t, []Container{{Pod: "p", Name: "main", ExitCode: 3, Message: "the script exited with 3"}}, report.Steps[0].Containers)
	assert.Equal(t, "main: exit code 3: the script exited with 3", report.Steps[0].Containers[0].String())
}

// Pods that made room for other Pods do not explain a later failure of the Job.
func TestJudge_ignoresPodsThatMadeRoom(t *testing.T) {
	t.Parallel()
	render, err := renderOf(t, secret("create", "make", ""), job("create", "make", ""))
	require.NoError(t, err)
	pod := podOfJob("job-make", manifest{"initContainerStatuses": []manifest{
		{"name": contract.InputManager, "state": manifest{"terminated": manifest{"exitCode": contract.ExitWaited}}},
	}})
	report := render.Judge(list(t, secret("create", "make", ""), job("create", "make", "Failed"), pod))
	assert.Empty(t, report.Steps[0].Containers)
}

// A Pod that is rendered instead of a Job has failed containers, too.
func TestJudge_failedPod(t *testing.T) {
	t.Parallel()
	render, err := renderOf(t, secret("create", "make", ""), podOf("Failed"))
	require.NoError(t, err)
	failed := podOf("Failed")
	failed["status"] = failedContainersOf("main", "")
	failed["status"].(manifest)["phase"] = "Failed"
	report := render.Judge(list(t, secret("create", "make", ""), failed))
	assert.Equal(t, Failed, report.Status)
	assert.Equal(t, []Container{{Pod: "pod-make", Name: "main", ExitCode: 3, Message: `step "make": the script exited with 3`}}, report.Steps[0].Containers)
	assert.Empty(t, report.Unready())
}

// podOfJob returns a Pod created by a Job.
func podOfJob(job string, status manifest) manifest {
	m := metadata("p", "create", contract.StepKey, "make", nil)
	m["labels"].(manifest)["batch.kubernetes.io/job-name"] = job
	return manifest{"apiVersion": "v1", "kind": "Pod", "metadata": m, "status": status}
}

// failedContainersOf returns the status of a Pod with one failed and one successful container.
func failedContainersOf(name, message string) manifest {
	return manifest{"containerStatuses": []manifest{
		{"name": name, "state": manifest{"terminated": manifest{"exitCode": 3, "reason": "Error", "message": message}}},
		{"name": "other", "state": manifest{"terminated": manifest{"exitCode": 0}}},
		{"name": "runs", "state": manifest{"running": manifest{}}},
	}}
}
