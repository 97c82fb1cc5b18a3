package incremental_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/test/framework/changes"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// fixedWorld is a world with so many sandboxes, each in a file, which was built to the folder with the cache.
func fixedWorld(t *testing.T, n int) *world {
	t.Helper()
	w := newWorld(t, rand.New(rand.NewPCG(1, 1)))
	clear(w.Files)
	for i := range n {
		w.Files[fmt.Sprintf("s%03d.yaml", i)] = []*changes.Sandbox{{
			Name: fmt.Sprintf("s%03d", i), Cluster: "staging", Plugin: "db@1.0.0", Value: "v", Param: "dbname",
		}}
	}
	w.Write(w.t)
	w.rebuild()
	w.rebuild()
	return w
}

// rebuild builds the folder with the cache once times show whether files change, and returns how many sandboxes were reused.
func (w *world) rebuild(args ...string) (reused int) {
	w.t.Helper()
	time.Sleep(150 * time.Millisecond)
	done := w.build(cached, append(args, "--output-dir")...)
	require.Zero(w.t, done.code, done.stderr)
	for _, cache := range w.caches {
		reused = len(cache.Reused())
	}
	return reused
}

// A change of one sandbox renders that one, and the first one that uses the phase of the plugin.
func TestCacheReusesWhatDidNotChange(t *testing.T) {
	w := fixedWorld(t, 20)
	assert.Equal(t, 19, w.rebuild())
	w.Files["s007.yaml"][0].Value = "changed"
	w.Write(w.t)
	assert.Equal(t, 18, w.rebuild())
	assert.Contains(t, w.tree(cached)["/sandbox-s007.yaml"], "changed")

	w.Files["moved.yaml"] = append(w.Files["s008.yaml"], w.Files["s009.yaml"]...)
	delete(w.Files, "s008.yaml")
	delete(w.Files, "s009.yaml")
	w.Write(w.t)
	assert.Equal(t, 18, w.rebuild(), "documents are the same in another file, but s008 is the first one now")

	w.Files["s003.yaml"][0].Plugin = "db@1.1.0"
	w.Plugins["1.1.0"] = "new"
	w.Write(w.t)
	assert.Zero(t, w.rebuild(), "another plugin may change any reference")

	w.Plugins["1.0.0"] = "two"
	w.Write(w.t)
	assert.Zero(t, w.rebuild())
	assert.Equal(t, 18, w.rebuild(), "two phases are used")
	assert.Zero(t, w.rebuild("--helper-image", "other"))
	assert.Zero(t, w.rebuild("--no-cache"))
}

// A file whose change its facts do not show is read.
func TestCacheReadsFilesThatWereJustChanged(t *testing.T) {
	w := fixedWorld(t, 4)
	for i := range 20 {
		value := "v" + string(rune('a'+i))
		w.Files["s002.yaml"][0].Value = value
		w.Write(w.t) // half of the time, with the time of the last change
		require.Zero(t, w.build(cached, "--output-dir").code)
		assert.Contains(t, w.tree(cached)["/sandbox-s002.yaml"], "value: "+value)
	}
}

// Another program does not use an index, though its options and version are the same, and neither does a new version.
func TestCacheIsThatOfAProgram(t *testing.T) {
	before := cli.Version
	t.Cleanup(func() { cli.Version = before })
	cli.Version = "v1.0.0"
	w := newWorld(t, rand.New(rand.NewPCG(1, 1)))
	w.program = "v1.0.0"
	w.rebuild()
	assert.NotZero(t, w.rebuild())
	cli.Version, w.program = "v1.1.0", "v1.1.0"
	assert.Zero(t, w.rebuild("--overwrite"))
	require.Zero(t, w.build(plain, "--output-dir").code)
	assert.Equal(t, w.tree(plain), w.tree(cached))
	assert.Contains(t, w.tree(cached)["/sandbox-s1.yaml"], "built-by: v1.1.0")
}

// What others may have written is not used.
func TestCacheTrustsNoOneElse(t *testing.T) {
	w := fixedWorld(t, 5)
	require.Equal(t, 4, w.rebuild())
	configs, err := os.UserConfigDir()
	require.NoError(t, err)
	key := filepath.Join(configs, "rplug", "build-cache.key")
	newest := func() string {
		all := indexes(t)
		slices.SortFunc(all, func(a, b string) int {
			one, err := os.Stat(a)
			require.NoError(t, err)
			other, err := os.Stat(b)
			require.NoError(t, err)
			return other.ModTime().Compare(one.ModTime())
		})
		return all[0]
	}
	index := newest()
	for name, change := range map[string]func() error{
		"a changed index": func() error {
			text, err := os.ReadFile(index)
			require.NoError(t, err)
			text[len(text)-1] ^= 1
			return os.WriteFile(index, text, 0o600)
		},
		"a truncated index":           func() error { return os.Truncate(index, 100) },
		"an empty index":              func() error { return os.Truncate(index, 0) },
		"an index others can write":   func() error { return os.Chmod(index, 0o666) },
		"a folder others can write":   func() error { return os.Chmod(filepath.Dir(index), 0o777) },
		"a key others can write":      func() error { return os.Chmod(key, 0o666) },
		"no key":                      func() error { return os.Remove(key) },
		"another key":                 func() error { return os.WriteFile(key, []byte(strings.Repeat("k", 32)), 0o600) },
		"a link in place of an index": func() error { return replaceByLink(index) },
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, change())
			assert.Zero(t, w.rebuild())
			for file, mode := range map[string]os.FileMode{index: 0o600, filepath.Dir(index): 0o700, key: 0o600} {
				_ = os.Chmod(file, mode)
			}
			_ = w.rebuild()
			require.Equal(t, 4, w.rebuild())
		})
	}
	t.Run("the index of another folder", func(t *testing.T) {
		other := fixedWorld(t, 5)
		planted, err := os.ReadFile(newest())
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(index, planted, 0o600))
		require.Equal(t, 4, other.rebuild())
		assert.Zero(t, w.rebuild())
	})
}

func replaceByLink(name string) error {
	if err := os.Rename(name, name+".moved"); err != nil {
		return err
	}
	return os.Symlink(name+".moved", name)
}

// A cache that cannot be written is no error, and --verbose has the reason.
func TestCacheThatCannotBeWritten(t *testing.T) {
	w := newWorld(t, rand.New(rand.NewPCG(1, 1)))
	none := filepath.Join(w.root, "none")
	require.NoError(t, os.WriteFile(none, nil, 0o600))
	t.Setenv("XDG_CACHE_HOME", none)
	t.Setenv("HOME", none)
	code, _, stderr := w.run("--output-dir", filepath.Join(w.root, cached))
	assert.Zero(t, code)
	assert.Contains(t, stderr, "cache is not used: ")
	assert.Equal(t, 1, strings.Count(stderr, "cache is not used"))
}

// A build that is killed is completed by the next one.
func TestCacheAfterKills(t *testing.T) {
	checkout.Slow(t, "kills builds of 400 sandboxes")
	random := checkout.Random(t)
	w := fixedWorld(t, 400)
	call := func(folder string, args ...string) *exec.Cmd {
		args = append([]string{"build", filepath.Join(w.root, documents), "--output-dir", filepath.Join(w.root, folder)}, args...)
		command := exec.Command(os.Args[0], args...)
		command.Env = append(os.Environ(), asProgram+"=1")
		return command
	}
	started := time.Now()
	require.NoError(t, call(cached).Run())
	full := time.Since(started)
	killed := 0
	for i := range checkout.Rounds(10) {
		w.Plugins["1.0.0"] = fmt.Sprintf("script %d", i)
		for range 3 {
			w.Any().Value = fmt.Sprintf("value %d", i)
		}
		w.Write(w.t)
		command := call(cached)
		require.NoError(t, command.Start())
		time.Sleep(time.Duration(random.Int64N(int64(full))))
		_ = command.Process.Kill()
		if command.Wait() != nil {
			killed++
		}
		out, err := call(cached).CombinedOutput()
		require.NoError(t, err, "%s", out)
		out, err = call(plain, "--no-cache").CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Equal(t, w.tree(plain), w.tree(cached))
	}
	t.Logf("%d builds were killed", killed)
}
