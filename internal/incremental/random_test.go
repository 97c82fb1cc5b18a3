package incremental_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// options are flags of rplug build.
var options = [][]string{
	nil, {"--phases", "create,delete"}, {"--kustomization"}, {"--file-per", "object"}, {"--cluster", "staging"},
	{"--set", "team=db"}, {"--set", "team=web"}, {"--helper-image", "example.com/helper:1"}, {"--strict"},
	{"--cluster", "other"}, {"--delivery", "helm"}, {"--workload", "Pod"},
	{"--output", "json"}, {"--output", "sarif"}, {"--output", "junit"},
}

// folderEdits change the rendered folders, in the same way.
var folderEdits = []struct {
	name string
	make func(w *world, file string) error
}{
	{"edit", func(_ *world, file string) error {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(file, append(text, "# mine\n"...), 0o600)
	}},
	{"edit in place", func(_ *world, file string) error { // of the same length and with the same time
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text[len(text)-2] ^= 1
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
		return os.Chtimes(file, info.ModTime(), info.ModTime())
	}},
	{"remove", func(_ *world, file string) error { return os.Remove(file) }},
	{"take over", func(_ *world, file string) error { return os.WriteFile(file, []byte("a: b\n"), 0o600) }},
	{"link", func(_ *world, file string) error {
		if err := os.Rename(file, file+".moved"); err != nil {
			return err
		}
		return os.Symlink(file+".moved", file)
	}},
}

// editFolders changes a file of both folders.
func (w *world) editFolders() {
	names := slices.Sorted(maps.Keys(w.tree(plain)))
	if len(names) == 0 {
		return
	}
	name, one := names[w.Random.IntN(len(names))], folderEdits[w.Random.IntN(len(folderEdits))]
	w.Log = append(w.Log, one.name+" "+name)
	for _, folder := range []string{cached, plain} {
		_ = one.make(w, filepath.Join(w.root, folder, name)) // both fail, or none
	}
}

// damage changes an index in a way that an attacker or a broken disk may do.
func (w *world) damage(older map[string][]byte) {
	all := indexes(w.t)
	if len(all) == 0 {
		return
	}
	name := all[w.Random.IntN(len(all))]
	text, err := os.ReadFile(name)
	if err != nil || len(text) == 0 {
		return // another test has removed it
	}
	kind := w.Random.IntN(5)
	w.Log = append(w.Log, fmt.Sprintf("damage %d", kind))
	switch kind {
	case 0:
		text = text[:w.Random.IntN(len(text))]
	case 1:
		text[w.Random.IntN(len(text))] ^= 1 << w.Random.IntN(8)
	case 2:
		if text, err = os.ReadFile(all[w.Random.IntN(len(all))]); err != nil {
			return
		}
	case 3:
		if text = older[name]; text == nil {
			return
		}
	case 4:
		_ = os.Chmod(name, 0o666)
		return
	}
	_ = os.WriteFile(name, text, 0o600)
}

// snapshot returns the indexes.
func (w *world) snapshot() map[string][]byte {
	texts := map[string][]byte{}
	for _, name := range indexes(w.t) {
		if text, err := os.ReadFile(name); err == nil {
			texts[name] = text
		}
	}
	return texts
}

// kill makes both folders that of a run that was killed before it had written all files, and the indexes those before it:
// an index is written last.
func (w *world) kill(before map[string]string, index map[string][]byte) {
	w.Log = append(w.Log, "killed")
	after := w.tree(cached)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if w.Random.IntN(2) == 0 && after[name] != before[name] && after[name] != link {
			w.put(cached, name, before)
		}
	}
	after = w.tree(cached)
	for name, text := range w.tree(plain) {
		if other, found := after[name]; !found || other != text {
			w.put(plain, name, after)
		}
	}
	for name := range after {
		w.put(plain, name, after)
	}
	for name, text := range index {
		_ = os.WriteFile(name, text, 0o600)
	}
}

// put makes a file of a folder the one of a tree.
func (w *world) put(folder, name string, tree map[string]string) {
	file := filepath.Join(w.root, folder, name)
	if text, found := tree[name]; text == link {
		return // both folders have it
	} else if found {
		require.NoError(w.t, os.WriteFile(file, []byte(text), 0o600))
	} else {
		require.NoError(w.t, os.Remove(file))
	}
}

// step changes the world and builds both folders. It returns how many sandboxes were reused.
func (w *world) step(older map[string][]byte) (reused int) {
	w.Change()
	if w.Random.IntN(16) == 0 {
		w.options = options[w.Random.IntN(len(options))]
	}
	if w.Random.IntN(4) == 0 {
		w.editFolders()
	}
	w.Write(w.t)
	if w.Random.IntN(6) == 0 {
		w.damage(older)
	}
	if w.Random.IntN(3) == 0 {
		time.Sleep(120 * time.Millisecond) // so that times show that files did not change
	}
	args := []string{"--allow-leaks", "--output-dir"}
	switch w.Random.IntN(6) {
	case 0:
		args = []string{"--check"}
	case 1:
		args = []string{"--output-dir"}
	case 2:
		args = []string{"--overwrite", "--allow-leaks", "--output-dir"}
	}
	if w.Random.IntN(8) == 0 {
		before, index := w.tree(cached), w.snapshot()
		if w.build(cached, args...).code == 0 {
			w.kill(before, index)
		}
	}
	w.Log = append(w.Log, fmt.Sprint(w.options, args))
	got := w.build(cached, args...)
	for _, cache := range w.caches {
		reused = len(cache.Reused())
	}
	want := w.build(plain, args...)
	w.requireSame(want, got)
	return reused
}

// After any changes, build with a cache prints and writes the same as without.
func TestBuildIsThatOfAFullBuild(t *testing.T) { //nolint:tparallel // the group ends when all sequences have ended
	t.Parallel()
	random := checkout.Random(t)
	var reused, steps atomic.Int64
	t.Run("sequences", func(t *testing.T) {
		for i := range checkout.Rounds(20) {
			seed := random.Uint64()
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, rand.New(rand.NewPCG(seed, 0)))
				w.build(plain, "--output-dir")
				w.build(cached, "--output-dir")
				older := w.snapshot()
				for range 6 {
					steps.Add(1)
					if w.step(older) > 0 {
						reused.Add(1)
					}
				}
			})
		}
	})
	t.Logf("%d of %d builds reused sandboxes", reused.Load(), steps.Load())
	assert.Greater(t, reused.Load(), steps.Load()/8)
}
