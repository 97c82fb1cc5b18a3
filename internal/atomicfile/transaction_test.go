package atomicfile_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
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

func begin(t *testing.T, folder string) *atomicfile.Transaction {
	t.Helper()
	changes, err := atomicfile.Begin(context.Background(), folder)
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
	assert.NoDirExists(t, filepath.Join(folder, atomicfile.StateFolder))
}

func TestCommitChangesNothingAfterAnError(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for name, test := range map[string]struct {
		replace func(*atomicfile.Transaction)
		want    string
	}{
		"changed meanwhile": {func(c *atomicfile.Transaction) { c.Replace("b", []byte("other"), []byte("new")) },
			"b was changed meanwhile: call again"},
		"made meanwhile": {func(c *atomicfile.Transaction) { c.Replace("b", nil, []byte("new")) },
			"b was changed meanwhile: call again"},
		"gone meanwhile": {func(c *atomicfile.Transaction) { c.Replace("z", []byte("x"), []byte("new")) },
			"z was changed meanwhile: call again"},
		"out of the folder": {func(c *atomicfile.Transaction) { c.Replace("../x", nil, []byte("new")) }, `"../x" must be the path`},
		"absolute":          {func(c *atomicfile.Transaction) { c.Replace("/etc/x", nil, []byte("new")) }, `"/etc/x" must be the path`},
		"through a link":    {func(c *atomicfile.Transaction) { c.Replace("link/x", nil, []byte("new")) }, "path escapes"},
		"a link":            {func(c *atomicfile.Transaction) { c.Replace("link", []byte("x"), []byte("new")) }, "link must be a regular file"},
		"a folder":          {func(c *atomicfile.Transaction) { c.Replace("sub", nil, []byte("new")) }, "sub must be a regular file"},
		"the journal":       {func(c *atomicfile.Transaction) { c.Replace(".rplug/transaction/x", nil, []byte("new")) }, "must be the path"},
		"in a file":         {func(c *atomicfile.Transaction) { c.Replace("b/c", nil, []byte("new")) }, "not a directory"},
		"a file as a folder": {func(c *atomicfile.Transaction) {
			c.Replace("m/n", nil, []byte("new"))
			c.Replace("m", nil, []byte("new"))
		}, "m/n cannot be changed, so nothing is: "},
		"after many of these": {func(c *atomicfile.Transaction) { c.Replace("n", nil, []byte("1")); c.Replace("n/o", nil, []byte("1")) }, "n/o cannot be changed, so nothing is: "},
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
			assert.NoDirExists(t, filepath.Join(folder, atomicfile.StateFolder))
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

func replaceAll(changes *atomicfile.Transaction, before, after map[string]string) {
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
		os.Exit(m.Run())
	}
	var job struct {
		Folder        string
		Before, After map[string]string
	}
	if err := json.Unmarshal([]byte(text), &job); err != nil {
		panic(err)
	}
	changes, err := atomicfile.Begin(context.Background(), job.Folder)
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
	random := rand.New(rand.NewPCG(1, 2))
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
		changes, err := atomicfile.Begin(context.Background(), folder)
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

// Whatever part of the journal's work is done, the next transaction completes it, or undoes it if that had begun.
func TestInterruptedAnywhere(t *testing.T) {
	t.Parallel()
	before := map[string]string{"a": "old", "b/c": "gone"}
	after := map[string]string{"a": "new", "d/e": "made"}
	journal := map[string]string{
		".rplug/.gitignore":        "*\n",
		".rplug/transaction/old-0": "old",
		".rplug/transaction/new-0": "new",
		".rplug/transaction/old-1": "gone",
		".rplug/transaction/new-2": "made",
	}
	plan := `[{"path":"a","existed":true,"mode":420},{"path":"b/c","existed":true,"removed":true,"mode":420},{"path":"d/e","mode":420}]`
	for name, test := range map[string]struct {
		arrange func(folder string)
		want    map[string]string
	}{
		"before the commit": {func(string) {}, before},
		"a plan that is not renamed": {func(folder string) {
			write(t, folder, map[string]string{".rplug/transaction/part.json": plan})
		}, before},
		"after the commit": {func(folder string) {
			write(t, folder, map[string]string{".rplug/transaction/plan.json": plan})
		}, after},
		"after the first file": {func(folder string) {
			write(t, folder, map[string]string{".rplug/transaction/plan.json": plan})
			require.NoError(t, os.Rename(filepath.Join(folder, ".rplug/transaction/new-0"), filepath.Join(folder, "a")))
		}, after},
		"after the removal": {func(folder string) {
			write(t, folder, map[string]string{".rplug/transaction/plan.json": plan, "a": "new"})
			require.NoError(t, os.Remove(filepath.Join(folder, ".rplug/transaction/new-0")))
			require.NoError(t, os.Remove(filepath.Join(folder, "b/c")))
		}, after},
		"while it is undone": {func(folder string) {
			write(t, folder, map[string]string{".rplug/transaction/undo.json": plan, "a": "new"})
			require.NoError(t, os.Remove(filepath.Join(folder, ".rplug/transaction/new-0")))
			require.NoError(t, os.Remove(filepath.Join(folder, "b/c")))
		}, before},
		"while all of it is undone": {func(folder string) {
			write(t, folder, map[string]string{".rplug/transaction/undo.json": plan, "a": "new", "d/e": "made"})
			require.NoError(t, os.Remove(filepath.Join(folder, ".rplug/transaction/new-2")))
			require.NoError(t, os.Remove(filepath.Join(folder, ".rplug/transaction/old-0")))
			write(t, folder, map[string]string{"a": "old"})
		}, before},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			write(t, folder, before)
			write(t, folder, journal)
			test.arrange(folder)
			assert.True(t, begin(t, folder).Recovered)
			assert.Equal(t, test.want, files(t, folder))
		})
	}
}

func TestDamagedJournalIsNamed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, map[string]string{".rplug/transaction/plan.json": "{"})
	_, err := atomicfile.Begin(context.Background(), folder)
	require.ErrorContains(t, err, "the journal of an interrupted command cannot be read")
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
