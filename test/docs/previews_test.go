package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/scaffold"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/pipeline"
)

// cluster is a folder with programs: rplug, which reports steps as done or failed, and a kubectl that records its calls. It has
// the namespaces, and the delete phases, that were applied.
type cluster struct {
	t      *testing.T
	folder string
}

func newCluster(t *testing.T, rplug string) cluster {
	t.Helper()
	c := cluster{t, t.TempDir()}
	for _, name := range []string{"namespaces", "undo"} {
		require.NoError(t, os.Mkdir(filepath.Join(c.folder, name), 0o750))
	}
	for name, text := range map[string]string{
		"rplug": `#!/bin/sh
case "$*" in
"status "*)
  [ ! -e "$CLUSTER/failing" ] || { printf 'seed failed: a\r# title\nstatus: Failed\n'; exit 1; }
  echo "status: Ready"
  ;;
*) exec '` + rplug + `' "$@" ;;
esac
`,
		"kubectl": `#!/bin/sh
grep -qx 'of the cluster' "$KUBECONFIG" || { echo "kubectl: no access" >&2; exit 1; }
echo "$*" >> "$CLUSTER/calls"
case "$*" in
"create namespace "*) echo "kind: Namespace" ;;
"apply -f -") cat > /dev/null ;;
"label namespace "*) : > "$CLUSTER/namespaces/$3" ;;
"apply -f "*)
  sandbox=$(sed -n 's|^ *resourceplugins.dev/sandbox: ||p' "$3" | head -n 1)
  cp "$3" "$CLUSTER/$(basename "$3" .yaml)-$sandbox.yaml"
  sed -n 's/^  teardown.yaml.gz: //p' "$3" > "$CLUSTER/found"
  [ ! -s "$CLUSTER/found" ] || mv "$CLUSTER/found" "$CLUSTER/undo/$sandbox"
  ;;
"get namespaces -l pull-request -o name") for name in "$CLUSTER"/namespaces/*; do echo "namespace/${name##*/}"; done ;;
"get configmaps "*) sandbox=${5##*=}; [ ! -e "$CLUSTER/undo/$sandbox" ] || cat "$CLUSTER/undo/$sandbox" ;;
"get deployments "*) echo deployment.apps/shop ;;
"delete jobs,"*) rm -f "$CLUSTER/undo/${5##*=}" ;;
"delete namespace "*) rm -f "$CLUSTER/namespaces/$3" ;;
esac
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(c.folder, name), []byte(text), 0o700)) //nolint:gosec // a program
	}
	return c
}

// namespaces returns the names of the environments.
func (c cluster) namespaces() (names []string) {
	c.t.Helper()
	found, err := os.ReadDir(filepath.Join(c.folder, "namespaces"))
	require.NoError(c.t, err)
	for _, one := range found {
		names = append(names, one.Name())
	}
	return names
}

// applied returns the last create.yaml or delete.yaml of pull request 42.
func (c cluster) applied(phase string) string {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.folder, phase+"-shop-pr-42.yaml"))
	require.NoError(c.t, err)
	return string(text)
}

// calls returns the calls of kubectl since the last call of calls.
func (c cluster) calls() string {
	c.t.Helper()
	file := filepath.Join(c.folder, "calls")
	text, err := os.ReadFile(file)
	if !os.IsNotExist(err) {
		require.NoError(c.t, err)
		require.NoError(c.t, os.Remove(file))
	}
	return string(text)
}

// failSteps makes steps fail, or succeed.
func (c cluster) failSteps(fail bool) {
	c.t.Helper()
	file := filepath.Join(c.folder, "failing")
	if !fail {
		require.NoError(c.t, os.Remove(file))
		return
	}
	require.NoError(c.t, os.WriteFile(file, nil, 0o600))
}

// flow is a project with previews, its forge and its cluster.
type flow struct {
	*pipeline.Repository
	pipeline.Forge
	cluster cluster
}

// What rplug new project writes for each forge is run with a local Git server.
func TestPreviews(t *testing.T) {
	t.Parallel()
	checkout.Program(t, "jq", "jq")
	rplug := filepath.Join(t.TempDir(), "rplug")
	require.NoError(t, checkout.BuildProgram(rplug, "cmd/rplug"))
	for _, forge := range scaffold.Forges {
		for name, test := range map[string]func(t *testing.T, f flow){
			"open to close": openToClose, "failures": failures, "sweep": sweep, "expire": expire,
		} {
			t.Run(forge+"/"+name, func(t *testing.T) {
				t.Parallel()
				test(t, newFlow(t, forge, rplug))
			})
		}
	}
}

// GitLab may start a job that waits for its resource group after the close of the merge request, which it would undo.
func TestPreviews_closedWhileWaiting(t *testing.T) {
	t.Parallel()
	checkout.Program(t, "jq", "jq")
	f := newFlow(t, "gitlab", "rplug is not called")
	run := f.open(42, "-- one")
	assert.Equal(t, []string{"preview-open"}, run.Failed)
	assert.Contains(t, run.Log, "the merge request is closed")
	assert.Empty(t, f.cluster.namespaces())
}

func newFlow(t *testing.T, forge, rplug string) flow {
	t.Helper()
	files, err := scaffold.Project{Preview: forge}.Files()
	require.NoError(t, err)
	f := flow{Repository: pipeline.NewRepository(t, files), cluster: newCluster(t, rplug)}
	options := pipeline.Options{
		Path: []string{f.cluster.folder}, Kubeconfig: "of the cluster\n", Env: []string{"CLUSTER=" + f.cluster.folder},
	}
	if forge == "github" {
		f.Forge = pipeline.NewGitHub(t, f.Repository, ".github/workflows/preview.yaml", options)
	} else {
		f.Forge = pipeline.NewGitLab(t, f.Repository, ".gitlab/preview.yml", options)
	}
	return f
}

// open opens a pull request whose sandbox has a seed, and returns the run. It is in the list of open ones.
func (f flow) open(number int, seed string) pipeline.Run {
	f.Branch(branch(number), map[string]string{"deploy/sandbox.yaml": f.sandbox(seed)})
	return f.Push(number)
}

func branch(number int) string { return fmt.Sprintf("pr-%d", number) }

// sandbox returns the document of the example with another seed.
func (f flow) sandbox(seed string) string {
	return strings.Replace(f.Git("show", "main:deploy/sandbox.yaml"), "CREATE TABLE products", seed+" CREATE TABLE products", 1) + "\n"
}

// An environment is opened, updated by a commit and a force-push, and closed when the branch is gone.
func openToClose(t *testing.T, f flow) {
	t.Helper()
	f.API().Open(42)
	for _, seed := range []string{"-- one", "-- two", "-- three"} { // the branch is made again: a force-push
		run := f.open(42, seed)
		require.Empty(t, run.Failed, run.Log)
		assert.Len(t, run.Passed, 1)
		created := f.cluster.applied("create")
		assert.Contains(t, created, seed)
		assert.Contains(t, created, "key: DATABASE_URL.", "the Deployment reads its own database")
		assert.Contains(t, created, "namespace: shop-pr-42\n")
		assert.Contains(t, f.cluster.calls(), "rollout status deployment.apps/shop --namespace shop-pr-42")
		comment := f.API().Comment(42)
		assert.Contains(t, comment, "### Preview environment `shop-pr-42`\n\nIt is ready.\n")
		assert.Contains(t, comment, "| `shop` | `db` `postgres@1.2.0` | `create/seed` | **runs again** | `param seed` |")
		assert.Contains(t, comment, "    status: Ready\n")
	}
	assert.Equal(t, []string{"shop-pr-42"}, f.cluster.namespaces())

	f.Merge(branch(42))
	f.API().Open()
	run := f.Close(42)
	require.Empty(t, run.Failed, run.Log)
	assert.Len(t, run.Passed, 1)
	deleted := f.cluster.applied("delete")
	assert.Contains(t, deleted, "DROP DATABASE")
	assert.NotContains(t, deleted, "CREATE DATABASE")
	assert.Empty(t, f.cluster.namespaces())
	assert.Regexp(t, `(?s)apply -f .*/delete.yaml\n.*delete jobs,.*delete namespace shop-pr-42 `, f.cluster.calls())
}

// A failing step, and a render that is rejected, make the job fail, and the comment says so. The latter changes nothing.
func failures(t *testing.T, f flow) {
	t.Helper()
	f.API().Open(42)
	f.cluster.failSteps(true)
	run := f.open(42, "-- one")
	assert.Len(t, run.Failed, 1, run.Log)
	assert.Contains(t, f.API().Comment(42), "**It is not ready** (fail")
	assert.Contains(t, f.API().Comment(42), "\n\nThe steps in the cluster:\n\n    seed failed: a # title\n    status: Failed\n", "texts are code")
	assert.NotContains(t, f.cluster.calls(), "rollout status")

	f.cluster.failSteps(false)
	run = f.open(42, "-- two")
	require.Empty(t, run.Failed, run.Log)
	f.cluster.calls()
	f.Commit(branch(42), map[string]string{"deploy/sandbox.yaml": strings.Replace(f.sandbox("-- three"), "params:", "prams:", 1)})
	run = f.Push(42)
	assert.Len(t, run.Failed, 1, run.Log)
	assert.Contains(t, run.Log, `unknown key "prams"`)
	assert.Empty(t, f.cluster.calls(), "the environment must not change")
	assert.Contains(t, f.cluster.applied("create"), "-- two")
	comment := f.API().Comment(42)
	assert.Contains(t, comment, "**It is not ready** (fail")
	assert.Contains(t, comment, "The documents cannot be compared with ")
	assert.Contains(t, comment, "    status: Ready\n", "what runs is what was applied before")
}

// The nightly sweep closes environments whose close event was lost, and no others. If the forge does not answer, it fails, and
// nothing is closed.
func sweep(t *testing.T, f flow) {
	t.Helper()
	for _, number := range []int{41, 42, 43} {
		f.API().Open(number)
		run := f.open(number, "-- one")
		require.Empty(t, run.Failed, run.Log)
	}
	all := []string{"shop-pr-41", "shop-pr-42", "shop-pr-43"}
	f.API().Open(41, 43, 44)
	f.API().Fail(true)
	run := f.Nightly()
	require.Len(t, run.Failed, 1, run.Log)
	assert.Contains(t, run.Failed[0], "sweep")
	assert.Contains(t, run.Log, "502")
	assert.Equal(t, all, f.cluster.namespaces())
	assert.NotContains(t, f.cluster.calls(), "delete")

	f.API().Fail(false)
	run = f.Nightly()
	require.Empty(t, run.Failed, run.Log)
	assert.Equal(t, []string{"shop-pr-41", "shop-pr-43"}, f.cluster.namespaces())
	assert.Contains(t, f.cluster.applied("delete"), "DROP DATABASE")
}

// Each night expired sandboxes are in one pull request, which is updated the next night. Nothing has expired: no pull request.
func expire(t *testing.T, f flow) {
	t.Helper()
	sandbox := func(name string) string {
		return "apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata:\n  name: " + name +
			"\nspec:\n  cluster: staging\n  ttl: {duration: 1d}\n  resources:\n  - name: db\n    plugin: postgres@1.2.0\n    params: {seed: \"\"}\n"
	}
	commit := func(date, file, text string) {
		f.Date = date
		f.Commit("main", map[string]string{"sandboxes/" + file: text})
		f.Date = ""
	}
	run := f.Nightly()
	require.Empty(t, run.Failed, run.Log)
	assert.Empty(t, f.Git("ls-remote", "origin", "refs/heads/expired-sandboxes"))
	assert.Empty(t, f.API().Expired())

	const longAgo = "2020-01-02T00:00:00Z"
	for _, name := range []string{"old", "older"} {
		commit(longAgo, name+".yaml", sandbox(name))
		run = f.Nightly()
		require.Empty(t, run.Failed, run.Log)
		f.Git("fetch", "--quiet", "origin", "expired-sandboxes")
		assert.Contains(t, f.Git("show", "FETCH_HEAD:sandboxes/"+name+".yaml"), "resourceplugins.dev/state: 'absent'")
		assert.Equal(t, f.Git("rev-parse", "main"), f.Git("rev-parse", "FETCH_HEAD^"), "one commit on top of main")
		assert.Contains(t, f.API().Expired(), "Expire sandboxes")
		assert.Contains(t, f.API().Expired(), "main")
	}
	assert.NotContains(t, f.Git("show", "main:sandboxes/old.yaml"), "absent")

	// Documents that cannot be marked make the job fail; others are in the pull request anyway.
	commit(longAgo, "floats.yaml", strings.Replace(sandbox("floats"), "@1.2.0", "@^9", 1))
	commit("", "new.yaml", sandbox("new"))
	run = f.Nightly()
	require.Len(t, run.Failed, 1, run.Log)
	assert.Contains(t, run.Failed[0], "expire")
	f.Git("fetch", "--quiet", "origin", "expired-sandboxes")
	assert.Contains(t, f.Git("show", "FETCH_HEAD:sandboxes/older.yaml"), "absent")
	assert.NotContains(t, f.Git("show", "FETCH_HEAD:sandboxes/new.yaml"), "absent")
}
