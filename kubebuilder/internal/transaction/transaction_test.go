package transaction

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// files are the regular files below a folder with their contents.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		relative, _ := filepath.Rel(folder, name)
		found[filepath.ToSlash(relative)] = string(text)
		return err
	}))
	return found
}

func write(t *testing.T, folder string, contents map[string]string) {
	t.Helper()
	for name, text := range contents {
		file := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o640))
	}
}

func begin(t *testing.T, folder string) *Transaction {
	t.Helper()
	changes, err := Begin(context.Background(), folder, Options{})
	require.NoError(t, err)
	t.Cleanup(changes.End)
	return changes
}

func TestCommitChangesAll(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, map[string]string{"same": "same", "changed": "old", "sub/removed": "x"})
	changes := begin(t, folder)
	changes.Replace("changed", []byte("old"), []byte("new"))
	changes.Replace("same", []byte("same"), []byte("same"))
	changes.Replace("sub/removed", []byte("x"), nil)
	changes.Replace("deep/er/made", nil, []byte("made"))
	changes.Replace("empty", nil, []byte{})
	require.NoError(t, changes.Commit())
	assert.Equal(t, map[string]string{"same": "same", "changed": "new", "deep/er/made": "made", "empty": ""}, files(t, folder))
	info, err := os.Stat(filepath.Join(folder, "changed"))
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o640), info.Mode().Perm(), "the mode stays")
	assert.NoDirExists(t, filepath.Join(folder, StateFolder))
}

func TestCommitChangesNothingAfterAnError(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for name, test := range map[string]struct {
		replace func(*Transaction)
		want    string
	}{
		"changed meanwhile": {func(c *Transaction) { c.Replace("b", []byte("other"), []byte("new")) },
			"b was changed meanwhile: call again"},
		"made meanwhile": {func(c *Transaction) { c.Replace("b", nil, []byte("new")) },
			"b was changed meanwhile: call again"},
		"gone meanwhile": {func(c *Transaction) { c.Replace("z", []byte("x"), []byte("new")) },
			"z was changed meanwhile: call again"},
		"out of the folder": {func(c *Transaction) { c.Replace("../x", nil, []byte("new")) }, `not "../x"`},
		"absolute":          {func(c *Transaction) { c.Replace("/etc/x", nil, []byte("new")) }, `not "/etc/x"`},
		"through a link":    {func(c *Transaction) { c.Replace("link/x", nil, []byte("new")) }, "link/x must be in a folder, but link is not one"},
		"a link":            {func(c *Transaction) { c.Replace("link", []byte("x"), []byte("new")) }, "link must be a regular file"},
		"a folder":          {func(c *Transaction) { c.Replace("sub", nil, []byte("new")) }, "sub must be a regular file"},
		"the journal":       {func(c *Transaction) { c.Replace(".rplug/transaction/x", nil, []byte("new")) }, "must not be in a folder of rplug"},
		"in a file":         {func(c *Transaction) { c.Replace("b/c", nil, []byte("new")) }, "b/c must be in a folder, but b is not one"},
		"a file as a folder": {func(c *Transaction) {
			c.Replace("m/n", nil, []byte("new"))
			c.Replace("m", nil, []byte("new"))
		}, "m/n must be in a folder, but m is not one"},
		"after many of these": {func(c *Transaction) { c.Replace("n", nil, []byte("1")); c.Replace("n/o", nil, []byte("1")) }, "n/o must be in a folder, but n is not one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			write(t, folder, map[string]string{"a": "a", "b": "b", "sub/c": "c"})
			require.NoError(t, os.Symlink(outside, filepath.Join(folder, "link")))
			changes := begin(t, folder)
			changes.Replace("a", []byte("a"), []byte("new"))
			changes.Replace("d/e", nil, []byte("new"))
			changes.Replace("sub/c", []byte("c"), nil)
			test.replace(changes)
			require.ErrorContains(t, changes.Commit(), test.want)
			require.NoError(t, os.Remove(filepath.Join(folder, "link")))
			assert.Equal(t, map[string]string{"a": "a", "b": "b", "sub/c": "c"}, files(t, folder))
			assert.NoDirExists(t, filepath.Join(folder, "d"))
			assert.NoDirExists(t, filepath.Join(folder, StateFolder))
		})
	}
	assert.Empty(t, files(t, outside))
}

// state is the files of one side of a random transaction.
func state(random *rand.Rand) map[string]string {
	contents := map[string]string{}
	for i := range 12 {
		if random.IntN(3) > 0 {
			contents[fmt.Sprintf("d%d/f%d", i%3, i)] = fmt.Sprint(random.IntN(3))
		}
	}
	return contents
}

func replaceAll(changes *Transaction, before, after map[string]string) {
	for name, text := range before {
		if _, stays := after[name]; !stays {
			changes.Replace(name, []byte(text), nil)
		}
	}
	for name, text := range after {
		var old []byte
		if was, existed := before[name]; existed {
			old = []byte(was)
		}
		changes.Replace(name, old, []byte(text))
	}
}

const childVariable = "TRANSACTION_TEST_CHILD"

// TestMain makes this program the process that is killed.
func TestMain(m *testing.M) {
	text := os.Getenv(childVariable)
	if text == "" {
		cache, err := os.MkdirTemp("", "transaction")
		if err == nil {
			err = os.Setenv("XDG_CACHE_HOME", cache)
		}
		if err != nil {
			panic(err)
		}
		code := m.Run()
		_ = os.RemoveAll(cache)
		os.Exit(code)
	}
	var job struct {
		Folder        string
		Before, After map[string]string
	}
	if err := json.Unmarshal([]byte(text), &job); err != nil {
		panic(err)
	}
	changes, err := Begin(context.Background(), job.Folder, Options{})
	if err == nil {
		replaceAll(changes, job.Before, job.After)
		err = changes.Commit()
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A process that is killed at any moment leaves the old files or the new ones, after the next transaction has begun.
func TestKilledProcessesLeaveAllOrNothing(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	random := checkout.Random(t)
	outcomes := map[string]int{}
	var longest time.Duration
	for range checkout.Rounds(40) {
		folder := t.TempDir()
		before, after := state(random), state(random)
		write(t, folder, before)
		job, err := json.Marshal(map[string]any{"Folder": folder, "Before": before, "After": after})
		require.NoError(t, err)
		child := exec.Command(self)
		child.Env = append(os.Environ(), childVariable+"="+string(job))
		start := time.Now()
		require.NoError(t, child.Start())
		if longest == 0 {
			require.NoError(t, child.Wait())
			longest = time.Since(start)
		} else {
			time.Sleep(time.Duration(random.Float64() * float64(longest)))
			_ = child.Process.Kill()
			_ = child.Wait()
		}
		changes, err := Begin(context.Background(), folder, Options{})
		require.NoError(t, err)
		changes.End()
		switch now := files(t, folder); {
		case assert.ObjectsAreEqual(before, now):
			outcomes["old"]++
		case assert.ObjectsAreEqual(after, now):
			outcomes["new"]++
		default:
			require.Equal(t, after, now)
		}
		if changes.Recovered {
			outcomes["recovered"]++
		}
	}
	t.Log(outcomes)
	assert.NotZero(t, outcomes["new"])
}

// interrupted leaves a transaction as a process does that is killed after the commit, and returns its journal.
func interrupted(t *testing.T, folder string, before, after map[string]string) journal {
	t.Helper()
	changes, err := Begin(context.Background(), folder, Options{})
	require.NoError(t, err)
	defer changes.End()
	replaceAll(changes, before, after)
	require.NoError(t, changes.plans.check())
	slices.SortFunc(changes.changes, func(a, b change) int { return cmpPaths(a.Path, b.Path) })
	j := journal{root: changes.root, plans: changes.plans, plan: plan{Root: changes.plans.root, Changes: changes.changes}}
	require.NoError(t, j.create())
	for i := range changes.changes {
		require.NoError(t, changes.stage(j, i))
	}
	require.NoError(t, j.plans.write(j.plan))
	return j
}

// Whatever part of the journal's work is done, the next transaction completes it, or undoes it if that had begun.
func TestInterruptedAnywhere(t *testing.T) {
	t.Parallel()
	before := map[string]string{"a": "old", "b/c": "gone"}
	after := map[string]string{"a": "new", "d/e": "made"}
	rename := func(t *testing.T, folder, from, to string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, to)), 0o755))
		require.NoError(t, os.Rename(filepath.Join(folder, from), filepath.Join(folder, to)))
	}
	remove := func(t *testing.T, folder, name string) {
		t.Helper()
		require.NoError(t, os.Remove(filepath.Join(folder, name)))
	}
	for name, test := range map[string]struct {
		arrange   func(t *testing.T, folder string, j journal)
		want      map[string]string
		recovered bool
	}{
		"before the commit": {func(t *testing.T, _ string, j journal) {
			t.Helper()
			require.NoError(t, j.plans.remove())
		}, before, false},
		"after the commit": {func(*testing.T, string, journal) {}, after, true},
		"after the first file": {func(t *testing.T, folder string, j journal) {
			t.Helper()
			rename(t, folder, j.newFile(0), "a")
		}, after, true},
		"after the removal": {func(t *testing.T, folder string, j journal) {
			t.Helper()
			rename(t, folder, j.newFile(0), "a")
			remove(t, folder, "b/c")
		}, after, true},
		"after all": {func(t *testing.T, folder string, j journal) {
			t.Helper()
			rename(t, folder, j.newFile(0), "a")
			remove(t, folder, "b/c")
			rename(t, folder, j.newFile(2), "d/e")
		}, after, true},
		"while it is undone": {func(t *testing.T, folder string, j journal) {
			t.Helper()
			j.plan.Undo = true
			require.NoError(t, j.plans.write(j.plan))
			rename(t, folder, j.newFile(0), "a")
			remove(t, folder, "b/c")
		}, before, true},
		"while all of it is undone": {func(t *testing.T, folder string, j journal) {
			t.Helper()
			j.plan.Undo = true
			require.NoError(t, j.plans.write(j.plan))
			rename(t, folder, j.newFile(2), "d/e")
			rename(t, folder, j.oldFile(0), "a")
		}, before, true},
		"in a tree that was replaced": {func(t *testing.T, folder string, _ journal) {
			t.Helper()
			require.NoError(t, os.RemoveAll(filepath.Join(folder, StateFolder)))
		}, before, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			write(t, folder, before)
			j := interrupted(t, folder, before, after)
			test.arrange(t, folder, j)
			assert.Equal(t, test.recovered, begin(t, folder).Recovered)
			assert.Equal(t, test.want, files(t, folder))
			assert.NoFileExists(t, j.plans.file)
		})
	}
}

func TestDamagedPlanIsNamed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	j := interrupted(t, folder, nil, map[string]string{"a": "new"})
	require.NoError(t, os.WriteFile(j.plans.file, []byte("{"), 0o600))
	_, err := Begin(context.Background(), folder, Options{})
	require.ErrorContains(t, err, "the plan of an interrupted command cannot be used: unexpected end of JSON input: remove "+j.plans.file)
}

func TestStateOfOthersStays(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, map[string]string{".rplug/state/x": "kept"})
	changes := begin(t, folder)
	changes.Replace("a", nil, []byte("new"))
	require.NoError(t, changes.Commit())
	assert.Equal(t, map[string]string{".rplug/state/x": "kept", ".rplug/.gitignore": "*\n", "a": "new"}, files(t, folder))
}
