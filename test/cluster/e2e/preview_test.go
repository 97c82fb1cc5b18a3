//go:build e2e

package e2e

import (
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

// The workflow that rplug new project --preview github writes, from opened pull requests to a sweep.
func TestLifecyclePreviewGitHub(t *testing.T) {
	preview(t, "github", func(repository *pipeline.Repository, options pipeline.Options) pipeline.Forge {
		return pipeline.NewGitHub(t, repository, ".github/workflows/preview.yaml", options)
	})
}

// The same with the jobs of GitLab.
func TestLifecyclePreviewGitLab(t *testing.T) {
	checkout.Program(t, "jq", "jq")
	preview(t, "gitlab", func(repository *pipeline.Repository, options pipeline.Options) pipeline.Forge {
		return pipeline.NewGitLab(t, repository, ".gitlab/preview.yml", options)
	})
}

func preview(t *testing.T, forge string, newForge func(*pipeline.Repository, pipeline.Options) pipeline.Forge) {
	t.Helper()
	r := newPullRequests(t, forge+"-pr-")
	files, err := scaffold.Project{Preview: forge}.Files()
	require.NoError(t, err)
	const script, plugin, shop, document = scaffold.PreviewScript, "plugins/postgres/plugin.yaml", "deploy/shop.yaml", "deploy/sandbox.yaml"
	files[script] = strings.Replace(files[script], "prefix=shop-pr-", "prefix="+r.prefix, 1)
	files[plugin] = r.rename(nil, files[plugin])
	kubeconfig, err := os.ReadFile(filepath.Join(suite.node, "kubeconfig"))
	require.NoError(t, err)
	repository := pipeline.NewRepository(t, files)
	f := newForge(repository, pipeline.Options{Path: []string{suite.programs, filepath.Dir(suite.kubectl)}, Kubeconfig: string(kubeconfig)})
	passes := func(run pipeline.Run) {
		t.Helper()
		require.Empty(t, run.Failed, run.Log)
		require.NotEmpty(t, run.Passed, run.Log)
	}
	fails := func(run pipeline.Run) {
		t.Helper()
		require.Len(t, run.Failed, 1, run.Log)
	}
	same := map[string]string{}
	f.API().Open(42, 43)

	// A step fails: the comment says so. A force-push without the mistake opens the environment.
	repository.Branch("pr-43", map[string]string{document: strings.Replace(files[document], "CREATE TABLE", "CREATE TABEL", 1)})
	fails(f.Push(43))
	assert.Contains(t, f.API().Comment(43), "It is not ready")
	assert.Regexp(t, `(?m)^    .*Failed .*/seed`, f.API().Comment(43))
	repository.Branch("pr-43", same)
	passes(f.Push(43))
	assert.Contains(t, f.API().Comment(43), "It is ready")

	repository.Branch("pr-42", same)
	passes(f.Push(42))
	r.databases("2", "one each")
	assert.NotEqual(t, r.query("42", "SELECT current_database()"), r.query("43", "SELECT current_database()"))

	// A commit keeps the database, and so do a rejected render and a force-push to an earlier state.
	r.query("42", "INSERT INTO products VALUES ('tea', 4.50)")
	const rows = "SELECT count(*) FROM products"
	repository.Commit("pr-42", map[string]string{shop: strings.Replace(files[shop], "sleep infinity", "sleep 86400", 1)})
	passes(f.Push(42))
	assert.Equal(t, "1\n", r.query("42", rows))
	repository.Commit("pr-42", map[string]string{document: strings.Replace(files[document], "params:", "prams:", 1)})
	fails(f.Push(42))
	assert.Contains(t, f.API().Comment(42), "It is not ready")
	assert.Equal(t, "1\n", r.query("42", rows), "the environment is as before")
	repository.Branch("pr-42", same)
	passes(f.Push(42))
	assert.Equal(t, "1\n", r.query("42", rows))

	// The branch is deleted before the environment is closed.
	repository.Merge("pr-42")
	f.API().Open(43)
	passes(f.Close(42))
	r.databases("1", "that of 42 is gone")

	// The event of a closed pull request is lost: the sweep closes it, but not if the forge does not answer.
	passes(f.Nightly())
	r.databases("1", "43 is open")
	f.API().Open()
	f.API().Fail(true)
	fails(f.Nightly())
	r.databases("1", "it is not known whether it is open")
	f.API().Fail(false)
	passes(f.Nightly())
	r.nothingLeft("42", "43")
}
