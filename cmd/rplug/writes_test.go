package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/checkout"
)

// plugins writes one document of each version to a new folder `plugins`, with their catalog.
func plugins(t *testing.T, folder string, versions ...string) string {
	t.Helper()
	made := filepath.Join(folder, "plugins")
	require.NoError(t, os.MkdirAll(made, 0o755))
	for _, v := range versions {
		text := strings.ReplaceAll(helloDB, "1.0.0", v)
		require.NoError(t, os.WriteFile(filepath.Join(made, v+".yaml"), []byte(text), 0o600))
	}
	must(t, "index", made)
	return made
}

// Commands that change one file, or push to one folder, lose nothing of each other.
func TestConcurrentWriters(t *testing.T) {
	t.Parallel()
	const rounds = 40
	versions := []string{"1.0.0", "1.1.0"}
	for name, c := range map[string]struct {
		write func(folder, version string) (code int, stdout, stderr string)
		check func(t *testing.T, folder, version string)
	}{
		"yank": {
			func(folder, version string) (int, string, string) {
				return invoke("yank", "hello-db@"+version, "--reason", "bad", "-c", filepath.Join(folder, "plugins", "catalog.yaml"))
			},
			func(t *testing.T, folder, version string) {
				t.Helper()
				catalog, err := readCatalogFile(filepath.Join(folder, "plugins", "catalog.yaml"))
				require.NoError(t, err)
				assert.Equal(t, "bad", catalog.Plugin("hello-db").Version(version).Yanked, version)
			},
		},
		"index": {
			func(folder, version string) (int, string, string) {
				return invoke("index", filepath.Join(folder, "plugins", version+".yaml"), "-c", filepath.Join(folder, "new.yaml"))
			},
			func(t *testing.T, folder, version string) {
				t.Helper()
				catalog, err := readCatalogFile(filepath.Join(folder, "new.yaml"))
				require.NoError(t, err)
				assert.NotNil(t, catalog.Plugin("hello-db").Version(version), version)
			},
		},
		"push": {
			func(folder, version string) (int, string, string) {
				return invoke("push", "--oci-layout", folder+"/store:v"+version, "-c", filepath.Join(folder, "plugins", "catalog.yaml"))
			},
			func(t *testing.T, folder, version string) {
				t.Helper()
				must(t, "pull", "--oci-layout", folder+"/store:v"+version, filepath.Join(folder, "back"))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range rounds {
				folder := t.TempDir()
				plugins(t, folder, versions...)
				var group sync.WaitGroup
				for _, v := range versions {
					group.Go(func() {
						code, _, stderr := c.write(folder, v)
						assert.Zero(t, code, stderr)
					})
				}
				group.Wait()
				for _, v := range versions {
					c.check(t, folder, v)
				}
			}
		})
	}
}

// Of two pushes to one tag that each lack the other's version, one is refused.
func TestConcurrentPushesToOneTag(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for i, versions := range [][]string{{"1.0.0", "1.1.0"}, {"1.0.0", "1.2.0"}} {
		plugins(t, filepath.Join(folder, strconv.Itoa(i)), versions...)
	}
	for round := range 40 {
		var codes [2]int
		var group sync.WaitGroup
		for i := range codes {
			group.Go(func() {
				store, catalog := fmt.Sprintf("%s/store:v%d", folder, round), filepath.Join(folder, strconv.Itoa(i), "plugins", "catalog.yaml")
				codes[i], _, _ = invoke("push", "--oci-layout", store, "-c", catalog)
			})
		}
		group.Wait()
		assert.Equal(t, exitClean+exitFindings, codes[0]+codes[1])
	}
}

// write is a command that writes files: in a folder with plugins, their catalog, and two stores.
type write struct {
	args []string
	file string // the file that has all that the command changes
}

var writes = map[string]write{
	"index":  {[]string{"catalog", "index", "plugins"}, "plugins/catalog.yaml"},
	"yank":   {[]string{"catalog", "yank", "hello-db@1.0.0", "--reason", "bad", "-c", "plugins/catalog.yaml"}, "plugins/catalog.yaml"},
	"push":   {[]string{"catalog", "push", "--oci-layout", "store:v2", "-c", "plugins/catalog.yaml", "plugins/1.0.0.yaml"}, "store/index.json"},
	"create": {[]string{"catalog", "push", "--oci-layout", "new:v1", "-c", "plugins/catalog.yaml", "plugins/1.0.0.yaml"}, "new/index.json"},
	"pull":   {[]string{"catalog", "pull", "--oci-layout", "newer:v1", "back"}, "back/catalog.yaml"},
	"lock":   {[]string{"resolve", "--write-lock", "lock.yaml", "plugins", "sandbox.yaml"}, "lock.yaml"},
}

const sandboxText = `name: shop
spec:
  cluster: staging
  resources:
  - name: db
    plugin: hello-db@1
`

// run runs the command in a folder.
func (w write) run(t *testing.T, folder string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "rplug", w.args...)
	command.Dir = folder
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
}

// prepare makes the folder that a write starts from, and returns what its file has before and after.
func (w write) prepare(t *testing.T) (folder, before, after string) {
	t.Helper()
	folder = t.TempDir()
	made := plugins(t, folder, "1.0.0")
	catalog, store := filepath.Join(made, "catalog.yaml"), filepath.Join(folder, "store")
	must(t, "push", "--oci-layout", store+":v1", "-c", catalog)
	must(t, "pull", "--oci-layout", store+":v1", filepath.Join(folder, "back"))
	other := plugins(t, filepath.Join(folder, "other"), "1.0.0", "1.1.0")
	must(t, "push", "--oci-layout", filepath.Join(folder, "newer")+":v1", "-c", filepath.Join(other, "catalog.yaml"))
	require.NoError(t, os.WriteFile(filepath.Join(made, "1.1.0.yaml"), []byte(strings.ReplaceAll(helloDB, "1.0.0", "1.1.0")), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "sandbox.yaml"), []byte(sandboxText), 0o600))

	complete := filepath.Join(t.TempDir(), "complete")
	require.NoError(t, os.CopyFS(complete, os.DirFS(folder)))
	w.run(t, complete)
	before, after = content(t, filepath.Join(folder, w.file)), content(t, filepath.Join(complete, w.file))
	require.NotEqual(t, before, after)
	return folder, before, after
}

// check checks that a write has done all or nothing in a folder, and that the next command finds it in order.
func (w write) check(t *testing.T, folder, before, after string) (done bool) {
	t.Helper()
	got := content(t, filepath.Join(folder, w.file))
	require.Contains(t, []string{before, after}, got)
	back := filepath.Join(t.TempDir(), "back")
	must(t, "pull", "--oci-layout", filepath.Join(folder, "store")+":v1", back)
	if strings.HasSuffix(w.file, "index.json") && got == after {
		must(t, "pull", "--oci-layout", filepath.Join(folder, w.args[3]), back)
	}
	if done = got == after; !done {
		w.run(t, folder)
		require.Equal(t, after, content(t, filepath.Join(folder, w.file)))
		require.Empty(t, parts(t, folder))
	}
	return done
}

// parts returns the temporary files in a folder.
func parts(t *testing.T, folder string) (found []string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(os.DirFS(folder), ".", func(name string, _ fs.DirEntry, err error) error {
		if strings.Contains(name, ".part") {
			found = append(found, name)
		}
		return err
	}))
	return found
}

// content returns the text of a file, nothing if it does not exist.
func content(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return string(text)
}

// rounds returns how often a test repeats what depends on timing: few times the environment variable TEST_ROUNDS, if set.
func rounds(few int) int {
	if times, err := strconv.Atoi(os.Getenv("TEST_ROUNDS")); err == nil && times > 0 {
		return few * times
	}
	return few
}

// A command that is killed has done all or nothing, and the next one does the rest.
func TestKilledWrites(t *testing.T) {
	t.Parallel()
	for name, w := range writes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, before, after := w.prepare(t)
			most := 40 * time.Millisecond
			for range rounds(6) {
				folder := filepath.Join(t.TempDir(), "copy")
				require.NoError(t, os.CopyFS(folder, os.DirFS(from)))
				command := exec.CommandContext(t.Context(), "rplug", w.args...)
				command.Dir = folder
				require.NoError(t, command.Start())
				time.Sleep(rand.N(most))
				_ = command.Process.Kill()
				_ = command.Wait()
				if !w.check(t, folder, before, after) { // it was too early for this machine
					most = most * 5 / 4
				} else {
					most = most * 4 / 5
				}
			}
		})
	}
}

// A command for which the disk is full, after any number of blocks, has changed nothing and says so.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	unshare := checkout.Program(t, "unshare", "util-linux")
	namespace := []string{"--user", "--map-root-user", "--mount"}
	probe := append(namespace, "sh", "-c", `mount -t tmpfs tmpfs "$1"`, "sh", t.TempDir())
	if out, err := exec.CommandContext(t.Context(), unshare, probe...).CombinedOutput(); err != nil {
		checkout.LeaveOut(t, "this machine does not allow file systems in namespaces: %s %s", err, out)
	}
	const script = `from=$1 disk=$2 to=$3 free=$4; shift 4
mount -t tmpfs -o size=16m tmpfs "$disk" && cp -a "$from/." "$disk"
used=$(df -k --output=used "$disk" | tail -n 1)
mount -o remount,size=$((used + free))k "$disk"
cd "$disk" && rplug "$@"; code=$?
mkdir "$to" && cp -a "$disk/." "$to" && exit $code`
	for name, w := range writes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, before, after := w.prepare(t)
			disk, failures := t.TempDir(), 0
			for free := 0; ; free += 4 {
				require.Less(t, free, 400, "it must succeed at some time")
				folder := filepath.Join(t.TempDir(), "copy")
				args := append(namespace, "sh", "-c", script, "sh", from, disk, folder, fmt.Sprint(free))
				out, err := exec.CommandContext(t.Context(), unshare, append(args, w.args...)...).CombinedOutput()
				done := content(t, filepath.Join(folder, w.file)) == after
				require.Equal(t, err == nil, done, "%d kB: %s", free, out)
				if err == nil {
					break
				}
				failures++
				require.Contains(t, string(out), "no space left on device")
				assert.Empty(t, parts(t, folder))
				w.check(t, folder, before, after)
			}
			assert.NotZero(t, failures)
		})
	}
}
