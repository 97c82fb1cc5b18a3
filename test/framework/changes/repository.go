package changes

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Repository is a git repository with documents in the folder "in".
type Repository struct{ *Folder }

// NewRepository returns a repository with two commits. It is the working folder of the test, which has its own caches.
func NewRepository(t *testing.T, random *rand.Rand) *Repository {
	t.Helper()
	root, home := t.TempDir(), t.TempDir()
	t.Chdir(root)
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, filepath.Join(home, name))
	}
	r := &Repository{New(filepath.Join(root, "in"), random)}
	require.NoError(t, os.Mkdir(r.Path, 0o755))
	r.git(t, "init", "-q")
	for range 2 {
		r.Write(t)
		r.Commit(t)
		r.Any().Value = "first"
	}
	return r
}

// Commit commits the written files.
func (r *Repository) Commit(t *testing.T) {
	t.Helper()
	r.git(t, "add", "-A")
	r.git(t, "commit", "-q", "--allow-empty", "-m", "change")
	r.Log = append(r.Log, "commit")
}

func (r *Repository) git(t *testing.T, args ...string) {
	t.Helper()
	args = append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)
	out, err := exec.Command("git", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}
