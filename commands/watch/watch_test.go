package watch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/test/framework/script"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rplug": func() { rplug.Main(Extension()) }})
}

// TestScripts runs whole commands.
func TestScripts(t *testing.T) {
	t.Parallel()
	script.Run(t, testscript.Params{})
}

// watched watches a folder, and returns a function that makes a change, waits until a change of the file "end" is seen,
// and returns the names that were seen before.
func watched(t *testing.T, folder string, files ...string) func(change func()) []string {
	t.Helper()
	seen, started := make(chan []string, 100), make(chan bool)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- watch(ctx, cli.Watched{
			Paths: append([]string{folder}, files...), Without: filepath.Join(folder, "out"),
			Start: func() { close(started) }, Changed: func(files []string) { seen <- files },
		})
	}()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	end := filepath.Join(folder, "end")
	until := func() (names []string) {
		require.NoError(t, os.WriteFile(end, []byte("text"), 0o600))
		for !slices.Contains(names, end) {
			select {
			case found := <-seen:
				names = append(names, found...)
			case <-time.After(time.Minute):
				require.Fail(t, "no change is seen")
			}
		}
		return names
	}
	<-started
	return func(change func()) []string {
		change()
		names := until()
		return slices.DeleteFunc(names, func(name string) bool { return name == end })
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	write := func(name string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte("text"), 0o600))
	}
	root := t.TempDir()
	in, other := filepath.Join(root, "in"), filepath.Join(root, "other", "values.yaml")
	for _, name := range []string{"a.yaml", "below/b.yaml", "out/c.yaml", ".git/HEAD"} {
		write(filepath.Join(in, name))
	}
	write(other)
	seen := watched(t, in, other)
	for name, test := range map[string]struct {
		change func()
		want   []string
	}{
		"a file":               {func() { write(filepath.Join(in, "a.yaml")) }, []string{filepath.Join(in, "a.yaml")}},
		"a file of a folder":   {func() { write(filepath.Join(in, "below", "b.yaml")) }, []string{filepath.Join(in, "below", "b.yaml")}},
		"what is written":      {func() { write(filepath.Join(in, "out", "c.yaml")) }, nil},
		"files of git":         {func() { write(filepath.Join(in, ".git", "HEAD")) }, nil},
		"a file that is named": {func() { write(other) }, []string{other}},
		"a file beside it":     {func() { write(filepath.Join(root, "other", "beside.yaml")) }, nil},
		"rights":               {func() { require.NoError(t, os.Chmod(filepath.Join(in, "a.yaml"), 0o644)) }, nil},
		"a file that an editor replaces": {func() {
			write(filepath.Join(in, "a.yaml.tmp"))
			require.NoError(t, os.Rename(filepath.Join(in, "a.yaml.tmp"), filepath.Join(in, "a.yaml")))
		}, []string{filepath.Join(in, "a.yaml")}},
	} {
		got := slices.DeleteFunc(seen(test.change), func(name string) bool { return filepath.Ext(name) == ".tmp" })
		slices.Sort(got)
		assert.ElementsMatch(t, test.want, slices.Compact(got), name)
	}
	added := filepath.Join(in, "new", "folder", "d.yaml")
	seen(func() { write(added) }) // perhaps as the folder that is new
	assert.Equal(t, []string{added}, slices.Compact(seen(func() { write(added) })), "a file of a new folder")
}
