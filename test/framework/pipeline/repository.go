package pipeline

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// gitEnv keeps the configuration of this machine out.
var gitEnv = []string{
	"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
	"GIT_AUTHOR_NAME=dev", "GIT_AUTHOR_EMAIL=dev@example.com",
	"GIT_COMMITTER_NAME=dev", "GIT_COMMITTER_EMAIL=dev@example.com",
}

// Repository is a repository of a Git server with the branch main, and the clone of a developer.
type Repository struct {
	t *testing.T
	// URL is the address of the repository.
	URL string
	// Clone is the folder of the clone.
	Clone string
	// Date is the date of commits in the clone; by default now.
	Date string
}

// NewRepository returns a repository whose first commit has the files.
func NewRepository(t *testing.T, files map[string]string) *Repository {
	t.Helper()
	checkout.Program(t, "git", "git")
	folder := t.TempDir()
	r := &Repository{t: t, URL: "file://" + filepath.Join(folder, "server.git"), Clone: filepath.Join(folder, "clone")}
	require.NoError(t, os.Mkdir(r.Clone, 0o750))
	r.Git("init", "--quiet", "--initial-branch=main", ".")
	r.Git("init", "--quiet", "--bare", "--initial-branch=main", r.bare())
	for _, setting := range []string{"uploadpack.allowAnySHA1InWant", "receive.advertisePushOptions"} {
		r.Git("--git-dir", r.bare(), "config", setting, "true")
	}
	r.Git("remote", "add", "origin", r.URL)
	r.Date = "2020-01-01T00:00:00Z" // long ago, so that later commits can have any date
	r.Commit("main", files)
	r.Date = ""
	return r
}

func (r *Repository) bare() string { return strings.TrimPrefix(r.URL, "file://") }

// Git runs git in the clone, and returns its output.
func (r *Repository) Git(arguments ...string) string {
	r.t.Helper()
	command := exec.CommandContext(r.t.Context(), "git", arguments...)
	command.Dir, command.Env = r.Clone, append(os.Environ(), gitEnv...)
	if r.Date != "" {
		command.Env = append(command.Env, "GIT_AUTHOR_DATE="+r.Date, "GIT_COMMITTER_DATE="+r.Date)
	}
	out, err := command.CombinedOutput()
	require.NoError(r.t, err, "git %s: %s", strings.Join(arguments, " "), out)
	return strings.TrimSpace(string(out))
}

// Branch makes a branch of main with a commit, and pushes it. An earlier branch of that name is replaced: a force-push.
func (r *Repository) Branch(name string, files map[string]string) {
	r.t.Helper()
	r.Git("switch", "--quiet", "--force-create", name, "main")
	r.Commit(name, files)
}

// Commit commits files to a branch that exists, and pushes it.
func (r *Repository) Commit(branch string, files map[string]string) {
	r.t.Helper()
	if branch != "main" || len(r.Git("branch", "--list", "main")) > 0 {
		r.Git("switch", "--quiet", branch)
	}
	for name, text := range maps.All(files) {
		file := filepath.Join(r.Clone, filepath.FromSlash(name))
		require.NoError(r.t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(r.t, os.WriteFile(file, []byte(text), 0o600))
	}
	r.Git("add", "--all")
	r.Git("commit", "--quiet", "--allow-empty", "--message", "change "+branch)
	r.Git("push", "--quiet", "--force", "origin", branch)
}

// Merge merges a branch into main, and deletes it on the server.
func (r *Repository) Merge(branch string) {
	r.t.Helper()
	r.Git("switch", "--quiet", "main")
	r.Git("merge", "--quiet", "--no-ff", "--message", "merge "+branch, branch)
	r.Git("push", "--quiet", "origin", "main", ":"+branch)
}

// reference makes a reference to a commit on the server, as forges do for pull requests.
func (r *Repository) reference(name, commit string) {
	r.t.Helper()
	r.Git("push", "--quiet", "--force", "origin", commit+":"+name)
}

// checkout clones a reference of the server into a new folder, as the runners of forges do. Depth 0 is the whole history.
func (r *Repository) checkout(reference, depth string) (folder string) {
	r.t.Helper()
	folder = r.t.TempDir()
	r.Git("-C", folder, "init", "--quiet", "--initial-branch=work", ".")
	r.Git("-C", folder, "remote", "add", "origin", r.URL)
	fetch := []string{"-C", folder, "fetch", "--quiet", "--no-tags", "origin"}
	if depth != "0" {
		fetch = append(fetch, "--depth", depth)
	} else {
		r.Git(fetch...)
	}
	r.Git(append(fetch, reference)...)
	r.Git("-C", folder, "checkout", "--quiet", "--detach", "FETCH_HEAD")
	return folder
}
