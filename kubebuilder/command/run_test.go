package command

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// After a host is killed, the project is unchanged or complete once the next host has started.
func TestKilledHostCommitsAllOrNothing(t *testing.T) {
	t.Parallel()
	root, original := t.TempDir(), t.TempDir()
	universe := map[string]string{}
	for i := range 40 {
		name := fmt.Sprintf("d%d/f%d", i%4, i)
		if universe[name] = "new " + name; i%2 == 0 {
			require.NoError(t, os.MkdirAll(filepath.Join(original, filepath.Dir(name)), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(original, name), []byte("old"), 0o600))
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(original, "PROJECT"), []byte("layout: [sample/v1]\nversion: \"3\"\n"), 0o600))
	response, err := json.Marshal(map[string]any{"universe": universe})
	require.NoError(t, err)
	folder := filepath.Join(root, "sample", "v1")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	script := "#!/bin/sh\ncat > /dev/null\ncat '" + filepath.Join(root, "response") + "'\n"
	require.NoError(t, os.WriteFile(filepath.Join(root, "response"), response, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "sample"), []byte(script), 0o755))
	idle := filepath.Join(root, "idle", "v1")
	require.NoError(t, os.MkdirAll(idle, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(idle, "idle"), []byte("#!/bin/sh\ncat > /dev/null\necho {}\n"), 0o755))
	run := func(project string, more ...string) *exec.Cmd {
		args := append([]string{"kubebuilder", "run", "--root", root, "--project", project}, more...)
		return exec.CommandContext(t.Context(), "rplug", append(args, "edit")...)
	}
	complete := copied(t, original)
	start := time.Now()
	out, err := run(complete).CombinedOutput()
	require.NoError(t, err, string(out))
	longest := time.Since(start)
	before, after := tree(t, copied(t, original)), tree(t, complete)
	outcomes := map[string]int{}
	random := checkout.Random(t)
	for range checkout.Rounds(20) {
		project := copied(t, original)
		command := run(project)
		require.NoError(t, command.Start())
		time.Sleep(time.Duration(random.Int64N(int64(longest))))
		_ = command.Process.Kill()
		_ = command.Wait()
		out, err := run(project, "--plugins", "idle/v1").CombinedOutput()
		require.NoError(t, err, string(out))
		if now := tree(t, project); assert.ObjectsAreEqual(before, now) {
			outcomes["as it was"]++
		} else {
			require.Equal(t, after, now)
			outcomes["complete"]++
		}
	}
	t.Log(outcomes)
}

// copied returns a copy of a folder.
func copied(t *testing.T, folder string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.CopyFS(to, os.DirFS(folder)))
	return to
}

// tree returns the files of a folder with their modes.
func tree(t *testing.T, folder string) map[string]string {
	t.Helper()
	files, root := map[string]string{}, os.DirFS(folder)
	require.NoError(t, fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text, err := fs.ReadFile(root, name)
		files[name] = fmt.Sprintf("%v %s", info.Mode(), text)
		return err
	}))
	return files
}
