package transaction

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// repository is a folder with a git repository that no transaction may change.
func repository(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "repository")
	write(t, folder, map[string]string{
		".git/config": "config", ".git/hooks/sample": "sample", "a": "a", "sub/c": "c", "Sub2/F": "f",
	})
	return folder
}

// ignorable are characters that cannot be seen.
func ignorable() (all []rune) {
	for _, table := range []*unicode.RangeTable{unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point} {
		for _, r := range table.R16 {
			all = append(all, rune(r.Lo), rune(r.Hi))
		}
		for _, r := range table.R32 {
			all = append(all, rune(r.Lo), rune(r.Hi))
		}
	}
	return append(all, 0, '\t', '\n', '\r', 0x1b, 0x7f, 0x80, 0x85, 0x9f, 0x2028, 0x2029)
}

// hostilePaths are paths that lead elsewhere, or into the repository or the state, on some operating system.
func hostilePaths() []string {
	names := []string{
		".git", ".GIT", ".Git", "GIT~1", "git~1", "gi7eba~1", ".rplug", ".RPLUG", ".rPlug", "RPLUG~1", "rplug~12",
		".git.", ".git ", ".git. .", ".git::$INDEX_ALLOCATION", ".git:x", ".rplug.", ".rplug ", `.git\hooks`, `..\x`, `a\..\..\x`,
		"CON", "con", "Con.txt", "PRN", "AUX", "aux.go", "NUL", "nul.tar.gz", "COM1", "com9.x", "LPT1", "lpt0", "COM¹", "LPT³.x",
		"CONIN$", "conout$", "CON .txt", "a.", "a ", "a?", "a*", "a<", "a>", "a|", `a"`, "C:", "C:x", "\xff", "a\xc0\xaf",
	}
	for _, r := range ignorable() {
		names = append(names, ".g"+string(r)+"it", ".rplug"+string(r))
	}
	paths := []string{
		"", ".", "..", "../x", "../../etc/x", "a/../../x", "/x", "//x", "/etc/passwd", "./x", "x/", "x//y", "x/./y", "x/../y",
		"sub/../.git/config", "C:/x", "c:x", "//server/share/x", `\\server\share\x`, "~/x/..",
	}
	for _, name := range names {
		paths = append(paths, name, name+"/x", "sub/"+name)
	}
	return paths
}

// A path that leads elsewhere is refused in a call, and in the plan of an interrupted command.
func TestHostile_paths(t *testing.T) {
	t.Parallel()
	folder := repository(t)
	want := files(t, folder)
	paths := hostilePaths()
	t.Log(len(paths), "paths")
	require.Greater(t, len(paths), 300)
	for _, name := range paths {
		for _, content := range [][2][]byte{{nil, []byte("x")}, {[]byte("config"), nil}, {[]byte("config"), []byte("x")}} {
			changes, err := Begin(t.Context(), folder, Options{})
			require.NoError(t, err)
			changes.Replace("a", []byte("a"), []byte("changed"))
			changes.Replace(name, content[0], content[1])
			require.ErrorContains(t, changes.Commit(), "the path of a file must", "%q", name)
			changes.End()
		}
	}
	assert.Equal(t, want, files(t, folder))
	j := interrupted(t, folder, map[string]string{"a": "a"}, map[string]string{"a": "changed"})
	for _, name := range paths {
		if strings.ToValidUTF8(name, "") != name {
			continue // JSON has no such text
		}
		changed := j.plan
		changed.Changes = []change{j.plan.Changes[0], {Path: name, After: digest([]byte("x"))}}
		require.NoError(t, j.plans.write(changed))
		for _, dry := range []bool{false, true} {
			_, err := Begin(t.Context(), folder, Options{DryRun: dry})
			require.ErrorContains(t, err, "the plan of an interrupted command cannot be used: the path of a file must", "%q", name)
		}
	}
	require.NoError(t, j.removeFrom(folder))
	assert.Equal(t, want, files(t, folder))
}

// removeFrom is remove after the transaction has ended.
func (j journal) removeFrom(folder string) (err error) {
	if j.root, err = os.OpenRoot(folder); err != nil {
		return err
	}
	return errors.Join(j.remove(), j.root.Close())
}

// plant turns a folder into a cloned repository with an apparently interrupted transaction that writes a file of git.
func plant(t *testing.T, folder, state, stage string) {
	t.Helper()
	hook := digest([]byte("hook"))
	root, err := filepath.EvalSymlinks(folder)
	require.NoError(t, err)
	target := ".git/hooks/post-commit"
	text, err := json.Marshal(plan{Root: root, Stage: state + "/" + stage, Changes: []change{{Path: target, After: hook}, {Path: "a", Before: digest([]byte("a"))}}})
	require.NoError(t, err)
	old := `[{"path":"` + target + `","mode":493},{"path":"a","existed":true,"removed":true}]`
	at := state + "/" + stage
	write(t, folder, map[string]string{
		at + "/new-0": "hook", at + "/old-0": "hook", at + "/old-1": "a", at + "/plan.json": old, at + "/undo.json": old,
		state + "/plan.json": string(text), state + "/transactions/" + digest([]byte(root)) + ".json": string(text),
	})
}

// A journal in a repository is ignored, whatever its name; a dry run writes nothing.
func TestHostile_committedJournals(t *testing.T) {
	t.Parallel()
	cases := 0
	for _, state := range []string{".rplug", ".RPLUG", ".cache/rplug", "rplug", ".local/state/rplug"} {
		for _, stage := range []string{
			"transaction", "transaction-", "transaction-AAAAAAAAAAAAAAAAAAAAAAAAAA", "transaction-ABCDEFGHIJKLMNOPQRSTUVWXYZ",
			"transaction-aaaaaaaaaaaaaaaaaaaaaaaaaa", "Transaction", "transactions",
		} {
			for _, dry := range []bool{true, false} {
				cases++
				folder := repository(t)
				plant(t, folder, state, stage)
				before := files(t, folder)
				changes, err := Begin(t.Context(), folder, Options{DryRun: dry})
				require.NoError(t, err)
				assert.False(t, changes.Recovered)
				changes.Replace("b", nil, []byte("b"))
				if err = changes.Commit(); dry {
					require.EqualError(t, err, "a dry run must not change files")
					assert.Equal(t, before, files(t, folder), "a dry run must write nothing")
				} else {
					require.NoError(t, err)
				}
				changes.End()
				now := files(t, folder)
				assert.Equal(t, "a", now["a"])
				assert.NotContains(t, now, ".git/hooks/post-commit", state+"/"+stage)
			}
		}
	}
	t.Log(cases, "journals")
}

// A dry run neither completes nor removes the rest of an interrupted command.
func TestHostile_dryRunsWriteNothing(t *testing.T) {
	t.Parallel()
	folder := repository(t)
	j := interrupted(t, folder, map[string]string{"a": "a"}, map[string]string{"a": "new"})
	before := files(t, folder)
	_, err := Begin(t.Context(), folder, Options{DryRun: true})
	require.EqualError(t, err,
		"a command was interrupted while it changed files: call without --dry-run, which completes the changes")
	assert.Equal(t, before, files(t, folder))
	assert.FileExists(t, j.plans.file)
	assert.True(t, begin(t, folder).Recovered)
	assert.Equal(t, "new", files(t, folder)["a"])
}

// The user's cache folder is no place for plans if it is in the repository, or if others can write to it.
func TestHostile_cacheFolders(t *testing.T) {
	folder := repository(t)
	root, err := filepath.EvalSymlinks(folder)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		cache   string
		prepare func(cache string) error
		want    string
	}{
		"in the repository": {filepath.Join(root, ".cache"), nil, "must be outside of " + root},
		"the repository":    {root, nil, "must be outside of " + root},
		"through a link": {filepath.Join(t.TempDir(), "link"), func(cache string) error { return os.Symlink(root, cache) },
			"must be outside of " + root},
		"of all users": {t.TempDir(), func(cache string) error {
			plans := filepath.Join(cache, "rplug", "transactions")
			return errors.Join(os.MkdirAll(plans, 0o700), os.Chmod(plans, 0o777)) //nolint:gosec // that is the test
		}, "must be yours, and no link"},
		"a link": {t.TempDir(), func(cache string) error {
			return errors.Join(os.Mkdir(filepath.Join(cache, "rplug"), 0o700),
				os.Symlink(t.TempDir(), filepath.Join(cache, "rplug", "transactions")))
		}, "must be yours, and no link"},
		"none": {"relative", nil, "files are changed with a plan in the cache folder of the user"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", test.cache)
			if test.prepare != nil {
				require.NoError(t, test.prepare(test.cache))
			}
			plant(t, folder, ".cache/rplug", "transaction-AAAAAAAAAAAAAAAAAAAAAAAAAA")
			plant(t, folder, "rplug", "transaction-AAAAAAAAAAAAAAAAAAAAAAAAAA")
			changes, err := Begin(t.Context(), folder, Options{})
			require.NoError(t, err)
			defer changes.End()
			assert.False(t, changes.Recovered)
			changes.Replace("a", []byte("a"), []byte("new"))
			require.ErrorContains(t, changes.Commit(), test.want)
			assert.Equal(t, "a", files(t, folder)["a"])
			assert.NoFileExists(t, filepath.Join(folder, ".git/hooks/post-commit"))
		})
	}
}

// links can be in a repository in place of a folder or file.
var links = map[string]string{
	"into git": ".git", "into hooks": ".git/hooks", "to a folder": "sub", "out": "..", "absolute": "/tmp", "nowhere": "none",
	"to a file": "a", "to itself": "link", "out and back": "../repository/.git",
}

// No change goes through a link: not when it is planned, and not after an interruption.
func TestHostile_links(t *testing.T) {
	t.Parallel()
	for name, target := range links {
		for _, at := range []string{"link/x", "link/hooks/post-commit", "link/config", "link", "link/deep/er/x"} {
			for _, after := range [][]byte{[]byte("new"), nil} {
				t.Run(fmt.Sprintf("%s %s %s", name, at, after), func(t *testing.T) {
					t.Parallel()
					folder := repository(t)
					require.NoError(t, os.Symlink(target, filepath.Join(folder, "link")))
					want := withLinks(t, folder)
					changes := begin(t, folder)
					before := []byte("config")
					if after != nil {
						before = nil
					}
					changes.Replace("a", []byte("a"), []byte("changed"))
					changes.Replace(at, before, after)
					require.Error(t, changes.Commit())
					assert.Equal(t, want, withLinks(t, folder))
				})
			}
		}
		t.Run(name+" after an interruption", func(t *testing.T) {
			t.Parallel()
			folder := repository(t)
			interrupted(t, folder, map[string]string{"a": "a"}, map[string]string{"a": "new", "link/config": "hook", "link/x": "x"})
			require.NoError(t, os.Symlink(target, filepath.Join(folder, "link")))
			want := withLinks(t, folder)
			_, err := Begin(t.Context(), folder, Options{})
			require.ErrorContains(t, err, "the changes of an interrupted command cannot be completed: link/config must be in a folder")
			assert.Equal(t, want, withLinks(t, folder))
		})
		t.Run(name+" as the state", func(t *testing.T) {
			t.Parallel()
			folder := repository(t)
			require.NoError(t, os.Symlink(target, filepath.Join(folder, StateFolder)))
			want := withLinks(t, folder)
			changes := begin(t, folder)
			changes.Replace("a", []byte("a"), []byte("new"))
			require.ErrorContains(t, changes.Commit(), ".rplug must be a folder")
			assert.Equal(t, want, withLinks(t, folder))
		})
	}
}

// withLinks is files of a folder with links, which are not followed.
func withLinks(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder, func(name string, entry os.DirEntry, err error) error {
		relative, _ := filepath.Rel(folder, name)
		if err != nil || entry.IsDir() {
			return err
		}
		if entry.Type().IsRegular() {
			text, err := os.ReadFile(name)
			found[relative] = string(text)
			return err
		}
		found[relative], err = os.Readlink(name)
		return err
	}))
	return found
}

// A new name beside one that differs in case or in the form of Unicode only would be one file elsewhere.
func TestHostile_names(t *testing.T) {
	t.Parallel()
	pairs := [][2]string{
		{"f0", "F0"}, {"README.md", "readme.md"}, {"d/f", "D/g"}, {"d/e/f", "d/E/f"}, {"é", "e\u0301"}, {"É", "e\u0301"}, {"straße", "STRASSE"},
		{"ς", "Σ"}, {"ﬁ", "FI"}, {"Å", "\u212b"}, {"\u212a", "k"}, {"ſ", "s"}, {"d/e\u0301/x", "d/é/y"}, {"config/A", "Config"}, {"a/B/c", "A"},
	}
	for _, pair := range pairs {
		for _, order := range [][2]string{pair, {pair[1], pair[0]}} {
			for _, existing := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s beside %s %v", order[1], order[0], existing), func(t *testing.T) {
					t.Parallel()
					folder := t.TempDir()
					changes := begin(t, folder)
					if existing {
						write(t, folder, map[string]string{order[0]: "x"})
					} else {
						changes.Replace(order[0], nil, []byte("x"))
					}
					before := files(t, folder)
					changes.Replace(order[1], nil, []byte("x"))
					require.ErrorContains(t, changes.Commit(), "they are one file on other systems")
					assert.Equal(t, before, files(t, folder))
					if existing {
						changes.Replace(order[1], nil, nil)
						changes.changes = nil
						changes.Replace(order[0], []byte("x"), []byte("y"))
						require.NoError(t, changes.Commit(), "a file that is there can be changed")
					}
				})
			}
		}
	}
}

// What someone else changes between the read and the commit, or after an interruption, stays as it is.
func TestHostile_races(t *testing.T) {
	t.Parallel()
	before := map[string]string{"a": "a", "sub/c": "c"}
	after := map[string]string{"a": "new", "n/e/w": "new", "b": "b"}
	for name, race := range map[string]func(folder string) error{
		"a file changes":       func(f string) error { return os.WriteFile(filepath.Join(f, "a"), []byte("theirs"), 0o600) },
		"another file changes": func(f string) error { return os.WriteFile(filepath.Join(f, "sub/c"), []byte("theirs"), 0o600) },
		"a file goes":          func(f string) error { return os.RemoveAll(filepath.Join(f, "a")) },
		"a file becomes a link": func(f string) error {
			return errors.Join(os.Remove(filepath.Join(f, "a")), os.Symlink(".git/config", filepath.Join(f, "a")))
		},
		"a file becomes a folder": func(f string) error {
			return errors.Join(os.Remove(filepath.Join(f, "a")), os.Mkdir(filepath.Join(f, "a"), 0o700))
		},
		"a folder becomes a link": func(f string) error {
			return errors.Join(os.RemoveAll(filepath.Join(f, "sub")), os.Symlink(".git", filepath.Join(f, "sub")))
		},
		"a new folder is a link": func(f string) error { return os.Symlink(".git", filepath.Join(f, "n")) },
		"a new file is there":    func(f string) error { return os.WriteFile(filepath.Join(f, "b"), []byte("theirs"), 0o600) },
		"a new folder is a file": func(f string) error { return os.WriteFile(filepath.Join(f, "n"), []byte("theirs"), 0o600) },
		"a name in other case":   func(f string) error { return os.WriteFile(filepath.Join(f, "B"), []byte("theirs"), 0o600) },
	} {
		t.Run(name+" before the commit", func(t *testing.T) {
			t.Parallel()
			folder := repository(t)
			changes := begin(t, folder)
			replaceAll(changes, before, after)
			require.NoError(t, race(folder))
			want := withLinks(t, folder)
			require.Error(t, changes.Commit())
			assert.Equal(t, want, withLinks(t, folder))
		})
		t.Run(name+" after an interruption", func(t *testing.T) {
			t.Parallel()
			folder := repository(t)
			j := interrupted(t, folder, before, after)
			require.NoError(t, race(folder))
			want := withLinks(t, folder)
			for range 2 {
				_, err := Begin(t.Context(), folder, Options{})
				require.ErrorContains(t, err, "remove "+j.plans.file+" to keep the files as they are")
				require.Equal(t, want, withLinks(t, folder))
			}
			require.NoError(t, os.Remove(j.plans.file))
			begin(t, folder)
		})
	}
}

// Commands that change one folder at a time take turns; each finds all of the changes of the others.
func TestHostile_manyAtOnce(t *testing.T) {
	t.Parallel()
	folder := repository(t)
	var all sync.WaitGroup
	const writers, rounds = 8, 12
	for range writers {
		all.Go(func() {
			for range checkout.Rounds(rounds) {
				changes, err := Begin(context.Background(), folder, Options{})
				if !assert.NoError(t, err) {
					return
				}
				for _, name := range []string{"x/count", "y/count", "z/count"} {
					now, err := os.ReadFile(filepath.Join(folder, name))
					if errors.Is(err, os.ErrNotExist) {
						now = nil
					}
					changes.Replace(name, now, append(append([]byte{}, now...), '.'))
				}
				assert.NoError(t, changes.Commit())
				changes.End()
			}
		})
	}
	all.Wait()
	for _, name := range []string{"x/count", "y/count", "z/count"} {
		assert.Len(t, files(t, folder)[name], writers*checkout.Rounds(rounds), name)
	}
}
