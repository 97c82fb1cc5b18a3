package load

import (
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests change the working folder, so they are not parallel.

// repository makes a repository of two commits in a new working folder. The second one changes and removes everything.
func repository(t *testing.T, format string) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Chdir(folder)
	runGit(t, "init", "-q", "--object-format="+format)
	revisionWrite(t, "top.yaml", "top: 1\n")
	revisionWrite(t, "plugins/deep/db.yaml", "name: db\n")
	revisionWrite(t, "plugins/deep.yaml", "")
	revisionWrite(t, "plugins/odd \"näme\"\n.yaml", "name: odd\n")
	revisionWrite(t, "other/large.yaml", strings.Repeat("x", 2000))
	require.NoError(t, os.Symlink("plugins/deep", "link"))
	require.NoError(t, os.Symlink("../../top.yaml", "plugins/deep/up.yaml"))
	require.NoError(t, os.Symlink("loop", "loop"))
	require.NoError(t, os.Symlink("/etc/passwd", "absolute"))
	commit(t, "older")
	runGit(t, "rm", "-q", "-r", "plugins")
	revisionWrite(t, "top.yaml", "top: 2\n")
	commit(t, "newer")
	return folder
}

func revisionWrite(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}

func commit(t *testing.T, message string) {
	t.Helper()
	runGit(t, "add", ".")
	runGit(t, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", message)
}

func runGit(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.Command("git", args...).CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
}

func open(t *testing.T, name string) *Revision {
	t.Helper()
	tree, err := OpenRevision(name, 1000)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, tree.Close()) })
	return tree
}

func TestFilesAreThoseOfTheRevision(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			repository(t, format)
			older, newer := open(t, "HEAD~1"), open(t, "HEAD")
			for name, want := range map[string]string{
				"top.yaml": "top: 1\n", "plugins/deep/db.yaml": "name: db\n", "plugins/deep.yaml": "",
				"plugins/odd \"näme\"\n.yaml": "name: odd\n",
				"link/db.yaml":                "name: db\n", "plugins/deep/up.yaml": "top: 1\n", "link/up.yaml": "top: 1\n",
			} {
				text, err := fs.ReadFile(older, name)
				require.NoError(t, err, name)
				assert.Equal(t, want, string(text), name)
			}
			_, err := fs.ReadFile(newer, "plugins/deep/db.yaml")
			require.ErrorIs(t, err, fs.ErrNotExist)
			text, err := fs.ReadFile(newer, "top.yaml")
			require.NoError(t, err)
			assert.Equal(t, "top: 2\n", string(text))
		})
	}
}

func TestTreeKeepsTheContractOfFileSystems(t *testing.T) {
	repository(t, "sha1")
	runGit(t, "rm", "-q", "loop", "absolute", "link")
	revisionWrite(t, "plugins/a.yaml", "a: 1\n")
	revisionWrite(t, "plugins/b/c.yaml", "b: 1\n")
	require.NoError(t, os.RemoveAll("other"))
	commit(t, "plain files")
	require.NoError(t, fstest.TestFS(open(t, "HEAD"), "top.yaml", "plugins/a.yaml", "plugins/b/c.yaml"))
}

func TestLinksStayInTheTree(t *testing.T) {
	repository(t, "sha1")
	tree := open(t, "HEAD~1")
	for name, want := range map[string]string{
		"loop": "too many links", "absolute": "escapes", "top.yaml/x": "file does not exist", "../x": "invalid",
	} {
		_, err := fs.ReadFile(tree, name)
		require.ErrorContains(t, err, want, name)
	}
	below, err := fs.Sub(tree, "plugins/deep")
	require.NoError(t, err)
	_, err = fs.Stat(below, "up.yaml")
	require.ErrorContains(t, err, "escapes")
	_, err = fs.Stat(below, "db.yaml")
	require.NoError(t, err)
}

func TestLargeFilesTellTheirSizeOnly(t *testing.T) {
	repository(t, "sha1")
	file, err := open(t, "HEAD~1").Open("other/large.yaml")
	require.NoError(t, err)
	info, err := file.Stat()
	require.NoError(t, err)
	assert.EqualValues(t, 2000, info.Size())
	_, err = io.ReadAll(file)
	require.ErrorContains(t, err, "too large")
}

func TestRevisionsThatCannotBe(t *testing.T) {
	repository(t, "sha1")
	for _, name := range []string{
		"", "-h", "--exec=touch pwned", "^HEAD", "HEAD\n--help", "no-such-branch", "HEAD..HEAD~1", "HEAD:top.yaml", "a b", "$(x)",
	} {
		_, err := OpenRevision(name, 1000)
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "\n", name)
	}
	t.Chdir(t.TempDir())
	_, err := OpenRevision("HEAD", 1000)
	require.ErrorContains(t, err, "must be in the work tree of a git repository")
}

func TestPathsAreThoseOfTheRepository(t *testing.T) {
	top := repository(t, "sha1")
	revisionWrite(t, "sub/a.yaml", "")
	tree := open(t, "HEAD")
	outside := t.TempDir()
	require.NoError(t, os.Symlink(top, filepath.Join(outside, "into")))
	t.Chdir("sub")
	for file, want := range map[string]string{
		"a.yaml": "sub/a.yaml", ".": "sub", "..": ".", "../top.yaml": "top.yaml", top: ".", "../link": "link",
		filepath.Join(outside, "into", "sub"): "sub",
	} {
		got, err := tree.Path(file)
		require.NoError(t, err, file)
		assert.Equal(t, want, got, file)
	}
	_, err := tree.Path(outside)
	require.ErrorContains(t, err, "must be in the git repository of the working folder")
}

// A listing is read, or refused; no path leads out of the tree, and every file can be reached from the top.
func FuzzParseTree(f *testing.F) {
	id := strings.Repeat("0a", 20)
	f.Add("100644 blob " + id + "      12\ta.yaml\x00120000 blob " + id + "       3\tb/c\x00")
	f.Add("100644 blob " + id + "      12\t../a\x00")
	f.Add("100644 blob " + id + "      12\ta\x00100644 blob " + id + "      12\ta/b\x00")
	f.Fuzz(func(t *testing.T, listing string) {
		files, err := parseTree(listing)
		if err != nil {
			return
		}
		for name, file := range files {
			assert.True(t, fs.ValidPath(name))
			assert.True(t, name == "." || files[path.Dir(name)] != nil)
			assert.True(t, slices.IsSortedFunc(file.children, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) }))
		}
	})
}
