//go:build e2e

package e2e

import (
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// repository is a Git repository that a server of this test serves over HTTP, with one branch.
type repository struct {
	t *testing.T
	// url is the address that the controllers clone.
	url string
	// work is a clone of the test.
	work string
}

// newRepository creates a repository whose branch main has an empty commit.
func newRepository(t *testing.T) *repository {
	t.Helper()
	folder := t.TempDir()
	r := &repository{t: t, work: filepath.Join(folder, "work")}
	bare := filepath.Join(folder, "sandboxes.git")
	r.git("", "init", "--quiet", "--bare", "--initial-branch=main", bare)
	r.git("", "clone", "--quiet", bare, r.work)
	r.git(r.work, "checkout", "--quiet", "-b", "main")
	r.git(r.work, "commit", "--quiet", "--allow-empty", "--message=Start")
	r.git(r.work, "push", "--quiet", "origin", "main")

	backend := filepath.Join(r.git("", "--exec-path"), "git-http-backend")
	server := httptest.NewServer(http.Handler(&cgi.Handler{
		Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + folder, "GIT_HTTP_EXPORT_ALL=1"},
	}))
	t.Cleanup(server.Close)
	r.url = server.URL + "/sandboxes.git"
	return r
}

// commit replaces files below the folder deploy, deletes all others there, and returns the revision.
func (r *repository) commit(files map[string]string) (revision string) {
	r.t.Helper()
	require.NoError(r.t, os.RemoveAll(filepath.Join(r.work, "deploy")))
	for name, text := range files {
		file := filepath.Join(r.work, "deploy", name)
		require.NoError(r.t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(r.t, os.WriteFile(file, []byte(text), 0o644))
	}
	r.git(r.work, "add", "--all")
	r.git(r.work, "commit", "--quiet", "--allow-empty", "--message=Render")
	r.git(r.work, "push", "--quiet", "origin", "main")
	return r.git(r.work, "rev-parse", "HEAD")
}

// render commits one rendered file.
func (r *repository) render(manifest string) (revision string) {
	r.t.Helper()
	return r.commit(map[string]string{"rendered.yaml": manifest})
}

func (r *repository) git(folder string, arguments ...string) string {
	r.t.Helper()
	command := exec.Command("git", append([]string{
		"-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main",
	}, arguments...)...)
	command.Dir = folder
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	stdout, _, err := execute(command, "")
	require.NoError(r.t, err)
	return strings.TrimSpace(stdout)
}
