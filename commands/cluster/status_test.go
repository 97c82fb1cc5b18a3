package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// canary is the value of every Secret of the cluster.
const canary = "Y2FuYXJ5"

type manifest = map[string]any

// cluster is an API server with a few objects, as much of one as kubectl get needs.
type cluster struct {
	objects   map[string][]manifest // by resource
	forbidden string                // a resource that no user may read
	// hasEngines is set if the kinds of Argo Workflows and Tekton are there.
	hasEngines bool
}

// groups are the API groups beside the core.
func (c *cluster) groups() (groups []manifest) {
	add := func(name, version string) {
		of := manifest{"groupVersion": name + "/" + version, "version": version}
		groups = append(groups, manifest{"name": name, "versions": []manifest{of}, "preferredVersion": of})
	}
	add("batch", "v1")
	if c.hasEngines {
		add("argoproj.io", "v1alpha1")
		add("tekton.dev", "v1")
	}
	return groups
}

func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := func(code int, value manifest) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(value)
	}
	resource := func(name, kind string) manifest {
		return manifest{"name": name, "kind": kind, "namespaced": true, "verbs": []string{"get", "list"}}
	}
	list := func(version string, resources ...manifest) {
		answer(http.StatusOK, manifest{"kind": "APIResourceList", "groupVersion": version, "resources": resources})
	}
	switch r.URL.Path {
	case "/api":
		answer(http.StatusOK, manifest{"kind": "APIVersions", "versions": []string{"v1"}})
		return
	case "/apis":
		answer(http.StatusOK, manifest{"kind": "APIGroupList", "groups": c.groups()})
		return
	case "/api/v1":
		list("v1", resource("pods", "Pod"), resource("secrets", "Secret"), resource("configmaps", "ConfigMap"), resource("events", "Event"))
		return
	case "/apis/batch/v1":
		list("batch/v1", resource("jobs", "Job"))
		return
	case "/apis/argoproj.io/v1alpha1":
		list("argoproj.io/v1alpha1", resource("workflows", "Workflow"))
		return
	case "/apis/tekton.dev/v1":
		list("tekton.dev/v1", resource("pipelineruns", "PipelineRun"), resource("taskruns", "TaskRun"))
		return
	}
	_, at, _ := strings.Cut(r.URL.Path, "/namespaces/ns/")
	of, name, isOne := strings.Cut(at, "/")
	switch {
	case of == c.forbidden:
		answer(http.StatusForbidden, manifest{
			"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": http.StatusForbidden, "reason": "Forbidden",
			"message": of + ` is forbidden: User "u" cannot list resource "` + of + `"`,
		})
	case isOne:
		for _, o := range c.objects[of] {
			if o["metadata"].(manifest)["name"] == name {
				answer(http.StatusOK, o)
				return
			}
		}
		answer(http.StatusNotFound, manifest{
			"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": http.StatusNotFound, "reason": "NotFound",
		})
	default:
		answer(http.StatusOK, manifest{"kind": "List", "apiVersion": "v1", "metadata": manifest{}, "items": c.objects[of]})
	}
}

// The real kubectl prints no value of a Secret, whether it gets one Secret of a render or lists those of sandboxes, and a user
// who may not read Secrets or events gets the rest.
func TestStatus_kubectl(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	kubectl := filepath.Join(folder, "kubectl")
	printed := filepath.Join(folder, "printed")
	require.NoError(t, os.WriteFile(kubectl, fmt.Appendf(nil, "#!/bin/sh\n%q \"$@\" > %[2]q.last\nc=$?\ncat %[2]q.last\n"+
		"cat %[2]q.last >> %[2]q\nexit $c\n", checkout.Tool(t, "kubectl"), printed), 0o755))
	ours := func(name, step string) manifest {
		labels := manifest{
			"resourceplugins.dev/sandbox": "shop", "resourceplugins.dev/resource": "db", "resourceplugins.dev/phase": "create",
			"resourceplugins.dev/step": step, "resourceplugins.dev/sandbox-id": "id",
		}
		return manifest{
			"name": name, "namespace": "ns", "uid": "1", "labels": labels,
			"annotations": manifest{"resourceplugins.dev/phase": "create", "resourceplugins.dev/generation": "1"},
		}
	}
	secret := manifest{
		"apiVersion": "v1", "kind": "Secret", "metadata": ours("of-make", "make"),
		"data": manifest{"password": canary, "k\"ey": canary},
	}
	job := manifest{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": ours("job-make", "make"),
		"spec": manifest{"template": manifest{"metadata": manifest{"annotations": manifest{"resourceplugins.dev/output-secret": "of-make"}}}},
	}
	event := manifest{
		"apiVersion": "v1", "kind": "Event", "metadata": manifest{"name": "e", "namespace": "ns"}, "type": "Warning",
		"involvedObject": manifest{"kind": "Job", "name": "job-make", "namespace": "ns"},
		"reason":         "FailedCreate", "message": "exceeded quota",
	}
	of := &cluster{objects: map[string][]manifest{
		"jobs": {job}, "secrets": {secret, secret}, "events": {event}, "pods": {}, "configmaps": {},
	}}
	server := httptest.NewServer(of)
	defer server.Close()
	config := path.Join(folder, "config")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, "{apiVersion: v1, kind: Config, current-context: c, "+
		"clusters: [{name: c, cluster: {server: %q}}], contexts: [{name: c, context: {cluster: c, namespace: ns, user: u}}], "+
		"users: [{name: u, user: {}}]}", server.URL), 0o600))
	render := filepath.Join(folder, "create.yaml")
	require.NoError(t, os.WriteFile(render, slices.Concat(text(t, job), []byte("\n---\n"), text(t, secret)), 0o600))

	status := func(code int, arguments ...string) string {
		var out, notes bytes.Buffer
		all := append([]string{"status", "--kubectl", kubectl, "--kubeconfig", config}, arguments...)
		assert.Equal(t, code, rplug.Run(t.Context(), all, strings.NewReader(""), &out, &notes, Extension()), notes.String())
		assert.NotContains(t, out.String()+notes.String(), canary)
		return out.String()
	}
	for _, arguments := range [][]string{{}, {"shop"}, {"--render", render}} {
		got := status(rplug.ExitPending, arguments...)
		assert.Contains(t, got, "InProgress  create  shop/db/make  -    ns         job/job-make  has started no Pod")
		assert.Contains(t, got, "job/job-make: FailedCreate: exceeded quota\nstatus: InProgress\n")
	}
	of.forbidden = "events"
	assert.Contains(t, status(rplug.ExitPending, "-n", "ns"), "not known: Events cannot be read: ")
	job["status"] = manifest{"conditions": []manifest{{"type": "Complete", "status": "True"}}}
	assert.Contains(t, status(rplug.ExitFindings), "Stale")
	secret["metadata"].(manifest)["annotations"].(manifest)["resourceplugins.dev/published"] = "1"
	status(rplug.ExitClean)
	status(rplug.ExitClean, "--render", render)
	of.forbidden = "secrets"
	for _, arguments := range [][]string{{}, {"--render", render}} {
		got := status(rplug.ExitClean, arguments...)
		assert.Contains(t, got, "not known: Secrets cannot be read: ")
		assert.Contains(t, got, `Error from server (Forbidden)`)
	}
	of.forbidden = "jobs"
	status(rplug.ExitCall)
	all, err := os.ReadFile(printed)
	require.NoError(t, err)
	assert.Contains(t, string(all), `{"kind":"Secret","metadata":{"annotations"`)
	assert.NotContains(t, string(all), canary, "kubectl must print no value")
}

// Kinds that the cluster does not have, or that the user may not read, are no failure with the real kubectl.
func TestStatus_kubectlEngines(t *testing.T) { //nolint:paralleltest // it sets a variable for kubectl
	folder := t.TempDir()
	dump, err := os.ReadFile("status/testdata/recorded/tekton-hang.yaml")
	require.NoError(t, err)
	of := &cluster{objects: map[string][]manifest{"jobs": {}, "events": {}, "pods": {}, "configmaps": {}, "workflows": {}}}
	resources := map[string]string{"PipelineRun": "pipelineruns", "TaskRun": "taskruns", "Secret": "secrets"}
	var render bytes.Buffer
	for document := range strings.SplitSeq(string(dump), "\n---\n") {
		var o manifest
		require.NoError(t, yaml.Unmarshal([]byte(document), &o))
		kind := o["kind"].(string)
		o["metadata"].(manifest)["namespace"] = "ns"
		if kind == "PipelineRun" || kind == "Secret" {
			rendered := maps.Clone(o)
			delete(rendered, "status")
			text, err := yaml.Marshal(rendered)
			require.NoError(t, err)
			render.Write(append(text, "---\n"...))
		}
		of.objects[resources[kind]] = append(of.objects[resources[kind]], o)
	}
	server := httptest.NewServer(of)
	defer server.Close()
	config, rendered := filepath.Join(folder, "config"), filepath.Join(folder, "create.yaml")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, "{apiVersion: v1, kind: Config, current-context: c, "+
		"clusters: [{name: c, cluster: {server: %q}}], contexts: [{name: c, context: {cluster: c, namespace: ns, user: u}}], "+
		"users: [{name: u, user: {}}]}", server.URL), 0o600))
	require.NoError(t, os.WriteFile(rendered, render.Bytes(), 0o600))
	status := func(code int, arguments ...string) string {
		t.Setenv("KUBECACHEDIR", t.TempDir()) // of the kinds of the cluster
		var out, notes bytes.Buffer
		all := append([]string{"status", "--kubectl", checkout.Tool(t, "kubectl"), "--kubeconfig", config}, arguments...)
		assert.Equal(t, code, rplug.Run(t.Context(), all, strings.NewReader(""), &out, &notes, Extension()), notes.String())
		return out.String()
	}
	got := status(rplug.ExitPending)
	assert.Regexp(t, `Missing +create +one/r/make .* does not exist: apply the render\n`, got)
	assert.NotContains(t, got, "not known")
	got = status(rplug.ExitPending, "--render", rendered)
	assert.Contains(t, got, "not known: PipelineRuns are not a kind that the cluster has: install its engine, then apply the render\n")
	assert.Contains(t, got, "\nstatus: Missing\n")

	of.hasEngines = true
	for _, arguments := range [][]string{nil, {"--render", rendered}} {
		got = status(rplug.ExitPending, arguments...)
		assert.Regexp(t, `Ready +create +one/r/bare .* pipelinerun/one-r-create-5vrm2gnmbwh4`, got)
		assert.Regexp(t, `InProgress +create +one/r/make .* runs\n`, got)
		assert.Regexp(t, `InProgress +create +one/r/left .* waits for make\n`, got)
		assert.NotContains(t, got, "not known")
	}
	var template bytes.Buffer
	require.Equal(t, rplug.ExitClean, rplug.Run(t.Context(), []string{"status", "--print-template"}, strings.NewReader(""), &template, &template, Extension()))
	file := filepath.Join(folder, "status.gotemplate")
	require.NoError(t, os.WriteFile(file, template.Bytes(), 0o600))
	alone, err := exec.CommandContext(t.Context(), checkout.Tool(t, "kubectl"), "--kubeconfig="+config, "get", "-f", rendered,
		"--ignore-not-found", "-o", "go-template-file="+file).CombinedOutput()
	require.NoError(t, err, string(alone))
	assert.Regexp(t, `^InProgress +one/r/create +ns +pipelinerun/one-r-create-5vrm2gnmbwh4 +Running: Tasks Completed: 1 `+
		`\(Failed: 0, Cancelled 0\), Incomplete: 3, Skipped: 0\nstatus: InProgress\n$`, string(alone))
	of.forbidden = "taskruns"
	for _, arguments := range [][]string{nil, {"--render", rendered}} {
		got = status(rplug.ExitPending, arguments...)
		assert.Regexp(t, `InProgress +create +one/r/make .* is not known: its TaskRun "one-r-create-5vrm2gnmbwh4-make" is not\n`, got)
		assert.Contains(t, got, "not known: TaskRuns cannot be read: ")
	}
	of.forbidden = "pipelineruns"
	got = status(rplug.ExitPending)
	assert.Contains(t, got, "not known: PipelineRuns cannot be read: ")
	assert.Regexp(t, `Missing +create +one/r/make .* has no Job, and PipelineRuns are not known\n`, got)
	of.forbidden = "workflows"
	assert.Contains(t, status(rplug.ExitPending), "not known: Workflows cannot be read: ")
}

func text(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return text
}

// On a terminal the rows are drawn again, cut to its size; elsewhere each change is a line.
func TestStatusProgress(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := &statusProgress{out: &out, name: "rplug status", last: map[string]string{}, size: func() (columns, rows int) { return 10, 4 }}
	p.draw("one\n\x1b[31mtwo\x1b[0m and more than fits\n")
	p.line("kubectl", "fails")
	p.erase()
	assert.Equal(t, "one\n\x1b[31mtwo\x1b[0m and m\n"+"\x1b[2A\x1b[J"+"rplug sta\n"+"\x1b[1A\x1b[J", out.String())
	out.Reset()
	p.draw("1\n2\n3\n4\n5\n")
	assert.Equal(t, "3\n4\n5\n", out.String())
	assert.Equal(t, "a\x1b[1", cut("a\x1b[1", 0))
	assert.NotPanics(t, func() { cut("a\x1b[1", 5) })

	out.Reset()
	lines := &statusProgress{out: &out, name: "rplug status", last: map[string]string{}}
	lines.line("a", "first")
	lines.line("a", "first")
	lines.line("a", "second")
	assert.Equal(t, "rplug status: first\nrplug status: second\n", out.String())
}
