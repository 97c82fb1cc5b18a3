package incremental_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/changes"
)

// world is a folder with documents, and two folders with their rendered objects: with the cache, and without.
type world struct {
	*changes.Folder

	t       *testing.T
	root    string
	options []string
	program string // with this version, which it writes into objects

	caches []*incremental.Cache // of the last build
}

// The folders of a world.
const (
	documents = "in"
	cached    = "out-cached"
	plain     = "out-plain"
)

func newWorld(t *testing.T, random *rand.Rand) *world {
	t.Helper()
	root := t.TempDir()
	for _, folder := range []string{documents, cached, plain} {
		require.NoError(t, os.Mkdir(filepath.Join(root, folder), 0o755))
	}
	w := &world{Folder: changes.New(filepath.Join(root, documents), random), t: t, root: root}
	w.Write(t)
	return w
}

// config is that of build, which renders few sandboxes in parts, too.
type config struct {
	*rplug.BuildConfig
	caches *[]*incremental.Cache
}

// Split implements cli.Splitter.
func (c *config) Split(cache *incremental.Cache) cli.PartsProcessor {
	parts := c.BuildConfig.Split(cache)
	if few, ok := parts.(interface{ EvenIfFew() }); ok {
		few.EvenIfFew()
	}
	if cache != nil {
		*c.caches = append(*c.caches, cache)
	}
	return parts
}

// run builds a folder.
func (w *world) run(args ...string) (code int, stdout, stderr string) {
	f := rplug.BuildFunction()
	w.caches = nil
	f.Config = func() cli.Config { return &config{rplug.NewBuildConfig(), &w.caches} }
	if w.program != "" {
		f.Modes = func() []cli.Mode { return []cli.Mode{w.annotated()} }
	}
	var out, notes bytes.Buffer
	args = append(args, "--verbose", w.Path)
	code = f.Run(context.Background(), append(slices.Clone(w.options), args...), strings.NewReader(""), &out, &notes)
	return code, out.String(), notes.String()
}

// annotated is the mode of a program that writes its version into objects.
func (w *world) annotated() cli.Mode {
	mode, _ := rplug.BuildFunction().Modes()[0].(*cli.Folder)
	open, version := mode.Open, w.program
	mode.Open = func(options cli.FolderOptions) cli.FolderWriter {
		to := open(options)
		add := to.Add
		to.Add = func(shared, others []*krm.Item) error {
			for _, item := range slices.Concat(shared, others) {
				item.Annotate("built-by", version)
			}
			return add(shared, others)
		}
		return to
	}
	return mode
}

// outcome is the outcome of a build.
type outcome struct {
	code           int
	stdout, stderr string
	files          map[string]string
}

// build builds one of the folders.
func (w *world) build(folder string, args ...string) outcome {
	at := filepath.Join(w.root, folder)
	if folder == plain {
		args = append([]string{"--no-cache"}, args...)
	}
	code, stdout, stderr := w.run(append(args, at)...)
	replace := func(text string) string {
		var kept []string
		for line := range strings.Lines(strings.NewReplacer(at, "OUT", strings.TrimPrefix(at, "/"), "OUT").Replace(text)) {
			if !strings.Contains(line, "cache is not used") {
				kept = append(kept, line)
			}
		}
		return strings.Join(kept, "")
	}
	return outcome{code, replace(stdout), replace(stderr), w.tree(folder)}
}

// requireSame compares the outcomes of two builds.
func (w *world) requireSame(want, got outcome) {
	log := strings.Join(w.Log, "\n")
	require.Equal(w.t, want.stderr, got.stderr, log)
	require.Equal(w.t, want.stdout, got.stdout, log)
	require.Equal(w.t, want.code, got.code, log)
	require.Equal(w.t, slices.Sorted(maps.Keys(want.files)), slices.Sorted(maps.Keys(got.files)), log)
	for name, text := range want.files {
		require.Equal(w.t, text, got.files[name], "%s differs\n%s", name, log)
	}
}

// link is the content of a link in a tree.
const link = "a link"

// tree returns the contents of the files of a folder.
func (w *world) tree(folder string) map[string]string {
	files := map[string]string{}
	at := filepath.Join(w.root, folder)
	require.NoError(w.t, filepath.WalkDir(at, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if entry.Type()&fs.ModeSymlink != 0 {
			files[strings.TrimPrefix(name, at)] = link
			return nil
		}
		text, err := os.ReadFile(name)
		files[strings.TrimPrefix(name, at)] = string(text)
		return err
	}))
	return files
}

// indexes returns the files with indexes.
func indexes(t *testing.T) []string {
	t.Helper()
	folder, err := os.UserCacheDir()
	require.NoError(t, err)
	folder = filepath.Join(folder, "rplug", "build")
	entries, err := os.ReadDir(folder)
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
	}
	var all []string
	for _, entry := range entries {
		if len(entry.Name()) == 32 {
			all = append(all, filepath.Join(folder, entry.Name()))
		}
	}
	return all
}
