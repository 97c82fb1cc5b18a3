package rplug

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
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
		"lock": {
			func(folder, version string) (int, string, string) {
				var stdout, stderr strings.Builder
				sandbox := strings.NewReader(strings.Replace(sandboxText, "@1", "@"+version, 1))
				code := Run(t.Context(), []string{"resolve", "--write-lock", filepath.Join(folder, "lock.yaml"), filepath.Join(folder, "plugins"), "-"},
					sandbox, &stdout, &stderr)
				return code, stdout.String(), stderr.String()
			},
			func(t *testing.T, folder, version string) {
				t.Helper()
				lock, err := os.ReadFile(filepath.Join(folder, "lock.yaml"))
				require.NoError(t, err)
				assert.Contains(t, string(lock), "chosen: hello-db@"+version)
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
		assert.Equal(t, ExitClean+ExitFindings, codes[0]+codes[1])
	}
}

// write is a command that writes files: in a folder with plugins, their catalog, a lock, and two stores.
type write struct {
	args []string
	last string // the file that is written last
	exit int    // the exit code of success
}

var writes = map[string]write{
	"index":  {[]string{"catalog", "index", "plugins"}, "plugins/catalog.yaml", ExitClean},
	"yank":   {[]string{"catalog", "yank", "hello-db@1.0.0", "--reason", "bad", "-c", "plugins/catalog.yaml"}, "plugins/catalog.yaml", ExitClean},
	"push":   {[]string{"catalog", "push", "--oci-layout", "store:v2", "-c", "plugins/catalog.yaml", "plugins/1.0.0.yaml"}, "store/index.json", ExitClean},
	"create": {[]string{"catalog", "push", "--oci-layout", "new:v1", "-c", "plugins/catalog.yaml", "plugins/1.0.0.yaml"}, "new/index.json", ExitClean},
	"pull":   {[]string{"catalog", "pull", "--oci-layout", "newer:v1", "back"}, "back/catalog.yaml", ExitClean},
	"lock":   {[]string{"resolve", "--write-lock", "new.yaml", "plugins", "sandbox.yaml"}, "new.yaml", ExitClean},
	"relock": {[]string{"resolve", "--write-lock", "lock.yaml", "plugins", "sandbox.yaml"}, "lock.yaml", ExitClean},
	"new":    {[]string{"new", "plugin", "postgres-db", "--dir", "typos"}, "typos/postgres-db/plugin.yaml", ExitClean},
	"renew":  {[]string{"new", "sandbox", "b", "--plugin", "other-db", "--dir", ".", "--force"}, "sandboxes/b.yaml", ExitClean},
	"fix":    {[]string{"validate", "--fix", "typos"}, "typos/b.yaml", ExitFindings},
	"build":  {[]string{"build", "--output-dir", "out", "--allow-leaks", "--kustomization", "back", "boxes"}, "out/sandbox-b.yaml", ExitClean}, // it goes
	"render": {[]string{"build", "--output-dir", "new", "back", "boxes"}, "new/shared.yaml", ExitClean},
	"pin":    {[]string{"resolve", "--write", "back", "pins"}, "pins/b.yaml", ExitClean},
	"pins":   {[]string{"resolve", "--write", "--write-lock", "pins/lock.yaml", "back", "pins"}, "pins/lock.yaml", ExitClean},
}

const sandboxText = `name: shop
spec:
  cluster: staging
  resources:
  - name: db
    plugin: hello-db@1
`

// typo returns a plugin with a key that --fix replaces.
func typo(name string) string {
	return strings.ReplaceAll(helloDB, "hello", name) + "    outputs: [{name: host, from: /tmp/host}]\n"
}

// run runs the command in a folder.
func (w write) run(t *testing.T, folder string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "rplug", w.args...)
	command.Dir = folder
	out, _ := command.CombinedOutput()
	require.Equal(t, w.exit, command.ProcessState.ExitCode(), string(out))
}

// prepare makes the folder that a write starts from, and returns its files before and after. No other user may read
// them.
func (w write) prepare(t *testing.T) (folder string, before, after map[string]string) {
	t.Helper()
	folder = t.TempDir()
	made := plugins(t, folder, "1.0.0")
	catalog, store := filepath.Join(made, "catalog.yaml"), filepath.Join(folder, "store")
	must(t, "push", "--oci-layout", store+":v1", "-c", catalog)
	must(t, "pull", "--oci-layout", store+":v1", filepath.Join(folder, "back"))
	other := plugins(t, filepath.Join(folder, "other"), "1.0.0", "1.1.0")
	must(t, "push", "--oci-layout", filepath.Join(folder, "newer")+":v1", "-c", filepath.Join(other, "catalog.yaml"))
	for name, text := range map[string]string{
		"sandbox.yaml":       sandboxText,
		"typos/a.yaml":       typo("one"),
		"typos/b.yaml":       typo("two"),
		"sandboxes/b.yaml":   sandboxText,
		"plugins/1.1.0.yaml": strings.ReplaceAll(helloDB, "1.0.0", "1.1.0"),
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	write{args: []string{"resolve", "--write-lock", "lock.yaml", "back", "sandbox.yaml"}}.run(t, folder)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "sandbox.yaml"), []byte(strings.Replace(sandboxText, "@1", "@^1.1", 1)), 0o600))
	box := func(name, resource string) {
		text := strings.NewReplacer("shop", filepath.Base(name), "db\n", resource+"\n").Replace(sandboxText)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name+".yaml"), []byte(text), 0o600))
	}
	for _, name := range []string{"boxes/a", "boxes/b", "pins/a", "pins/b"} {
		box(name, "db")
	}
	write{args: []string{"build", "--output-dir", "out", "--kustomization", "back", "boxes"}}.run(t, folder)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "out", "foreign.yaml"), []byte("a: b\n"), 0o600))
	require.NoError(t, os.Remove(filepath.Join(folder, "boxes", "b.yaml")))
	box("boxes/a", "cache")
	box("boxes/c", "db")
	before = tree(t, folder)
	for name := range before {
		require.NoError(t, os.Chmod(filepath.Join(folder, name), 0o600))
	}
	before = tree(t, folder)

	complete := copied(t, folder)
	w.run(t, complete)
	after = tree(t, complete)
	require.NotEqual(t, before[w.last], after[w.last])
	for name := range before {
		if after[name] != "" {
			require.Equal(t, mode(before[name]), mode(after[name]), name)
		}
	}
	return folder, before, after
}

// check checks that each file is as before or complete, and that the command does the rest when it is called again.
func (w write) check(t *testing.T, folder string, before, after map[string]string) (done bool) {
	t.Helper()
	got := tree(t, folder)
	for name, file := range got {
		if !isTemporary(name) {
			require.Contains(t, []string{before[name], after[name]}, file, name)
		}
	}
	for name := range before {
		if after[name] != "" {
			require.Contains(t, got, name)
		}
	}
	must(t, "pull", "--oci-layout", filepath.Join(folder, "store")+":v1", filepath.Join(t.TempDir(), "back"))
	if done = got[w.last] == after[w.last]; !done {
		w.run(t, folder)
	}
	require.Equal(t, after, tree(t, folder))
	return done
}

// tree returns the mode and the text of all files in a folder.
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

// mode returns the mode of a file of a tree.
func mode(file string) string {
	mode, _, _ := strings.Cut(file, " ")
	return mode
}

// copied returns a copy of a folder.
func copied(t *testing.T, folder string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	out, err := exec.CommandContext(t.Context(), "cp", "-a", folder, to).CombinedOutput()
	require.NoError(t, err, string(out))
	return to
}

// isTemporary reports whether a command makes a file of this name before it has all of its content.
func isTemporary(name string) bool {
	return strings.Contains(name, ".part") || strings.Contains(name, "/ingest/")
}

// A command that is killed has done all or nothing, and the next one does the rest.
func TestKilledWrites(t *testing.T) {
	t.Parallel()
	for name, w := range writes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, before, after := w.prepare(t)
			random, most := checkout.Random(t), 40*time.Millisecond
			for range checkout.Rounds(6) {
				folder := copied(t, from)
				command := exec.CommandContext(t.Context(), "rplug", w.args...)
				command.Dir = folder
				require.NoError(t, command.Start())
				time.Sleep(time.Duration(random.Int64N(int64(most))))
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

// changingCalls are the system calls that change files.
var changingCalls = []string{"openat", "write", "pwrite64", "ftruncate", "fchmod", "fsync", "renameat", "unlinkat", "mkdirat"}

// The same, killed before each of the system calls that change files; without TEST_ROUNDS only before some kinds of them.
func TestWritesKilledAtSystemCalls(t *testing.T) {
	t.Parallel()
	strace := checkout.Program(t, "strace", "strace")
	if out, err := exec.CommandContext(t.Context(), strace, "true").CombinedOutput(); err != nil {
		checkout.LeaveOut(t, "this machine does not allow to trace processes: %s %s", err, out)
	}
	for name, w := range writes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, before, after := w.prepare(t)
			calls := slices.Clone(changingCalls)
			checkout.Random(t).Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
			for _, call := range calls[:min(checkout.Rounds(2), len(calls))] {
				survives := false
				for n := 1; !survives; n++ {
					folder := copied(t, from)
					args := []string{"-f", "-qq", "-o", os.DevNull, "-e", "trace=" + call,
						"-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n), "rplug"}
					command := exec.CommandContext(t.Context(), strace, append(args, w.args...)...)
					command.Dir = folder
					out, err := command.CombinedOutput()
					code := command.ProcessState.ExitCode()
					require.Contains(t, []int{w.exit, -1}, code, "%v %s", err, out)
					survives = code == w.exit
					require.True(t, w.check(t, folder, before, after) || !survives, "%s %d", call, n)
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
				code := 0
				if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
					code = failed.ExitCode()
				} else {
					require.NoError(t, err)
				}
				got := tree(t, folder)
				require.Equal(t, code == w.exit, got[w.last] == after[w.last], "%d kB: %s", free, out)
				for name := range got {
					assert.False(t, isTemporary(name), name)
				}
				w.check(t, folder, before, after)
				if code == w.exit {
					break
				}
				failures++
				require.Contains(t, string(out), "no space left on device")
				require.NotContains(t, string(out), ".part", "a temporary file is of no interest")
			}
			assert.NotZero(t, failures)
		})
	}
}
