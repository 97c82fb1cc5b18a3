package load

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// Each pattern ignores the entries that git ignores.
func TestIgnoreListMatchesAsGitDoes(t *testing.T) {
	t.Parallel()
	checkout.Slow(t, "runs git for each list")
	git := checkout.Program(t, "git", "git")
	texts := []string{
		"a", "a/", "/a", "a/b", "/a/b", "**/b", "a/**", "a/**/c", "**/a/b", "b/**/", "/**", "**", "a**b", "*/b", "a/*", "?", "/*",
		"*.yaml\n!keep.yaml", "*\n!a/\n!a/b", "/a/*\n!/a/b", "a\n!a\na/", "!a", "a\n\n# comment\n  \nb", "a\r\nb\r\n", "\ufeffa",
		"[!a]b", "[^a]b", "[a-c]x", "x[]", "a\\*b", "\\!x", "\\#x", "#x", "foo ", "foo\\ ", "foo\\  ", " foo", "{a,b}", "\\{a,b\\}",
		"a//b", "./a", "/", "//", "\\a", "a\\", "a/b/", "*a*", "a?b", "**/", "/a/**/b", "x/**/b/*",
	}
	entries := []string{
		"a", "b", "a/b", "x/b", "a/c", "a/b/c", "a/x/y/c", "k.yaml", "a/k.yaml", "keep.yaml", "a/keep.yaml", "ab", "bb", "xb", "a*b",
		"!x", "#x", "foo", "foo ", " foo", "{a,b}", "axxb", "ax", "x/a", "x/a/b", "x/a/b/c", "b/c/d", "x[]", "aXb", "x/q/b/z",
	}
	for _, isFolder := range []bool{false, true} {
		dir := t.TempDir()
		require.NoError(t, exec.Command(git, "init", "-q", dir).Run())
		for _, entry := range entries {
			if isFolder { // git takes a missing entry for a file
				require.NoError(t, os.MkdirAll(filepath.Join(dir, entry), 0o755))
			}
		}
		for _, text := range texts {
			require.NoError(t, os.WriteFile(filepath.Join(dir, GitIgnore), []byte(text+"\n"), 0o600))
			list := (*IgnoreList)(nil).With("/r", "", text+"\n")
			want := ignoredByGit(t, git, dir, entries)
			for _, entry := range entries {
				assert.Equal(t, want[entry], ignores(list, entry, isFolder), "%q: %q, folder: %t", text, entry, isFolder)
			}
		}
	}
}

func ignoredByGit(t *testing.T, git, dir string, names []string) map[string]bool {
	t.Helper()
	command := exec.Command(git, "-C", dir, "check-ignore", "--no-index", "-z", "--stdin")
	command.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "HOME="+dir)
	command.Stdin = strings.NewReader(strings.Join(names, "\x00") + "\x00")
	out, _ := command.Output() // exit code 1 means that none is ignored
	ignored := map[string]bool{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		ignored[name] = true
	}
	return ignored
}

// ignores decides about a path as a walk does: from the folder at the top down to the entry.
func ignores(list *IgnoreList, name string, isFolder bool) bool {
	parts := strings.Split(name, "/")
	for i := range parts {
		if list.Match(path.Join("/r", path.Join(parts[:i+1]...)), isFolder || i+1 < len(parts)) != nil {
			return true
		}
	}
	return false
}
