//go:build plugins && linux

package plugins_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// number returns a variable as a number.
func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, variable)
	return n
}

// rplug test, with all its checks.
func TestPlugin_passesItsTest(t *testing.T) {
	eachVersion(t, func(t *testing.T, plugin string, v version) {
		arguments := []string{"test", filepath.Join(plugin, "plugin.yaml"), filepath.Join(plugin, "test.yaml"), "--engine", "process"}
		if migrations := filepath.Join(plugin, "testdata", "migrations.yaml"); exists(migrations) {
			arguments = append(arguments, migrations)
		}
		command := exec.Command(filepath.Join(checkout.Root(), "bin", "rplug"), arguments...)
		command.Env = append(environment(), v.environment...)
		text, err := command.CombinedOutput()
		require.NoError(t, err, "%s", text)
		t.Logf("%s", text)
	})
}

// newSandboxes returns the sandboxes that run at once. SANDBOXES is their number.
func (s *server) newSandboxes(t *testing.T) []*sandbox {
	t.Helper()
	sandboxes := make([]*sandbox, number(t, "SANDBOXES", 4))
	for i := range sandboxes {
		sandboxes[i] = s.newSandbox(t, fmt.Sprintf("s%d", i), s.password)
	}
	return sandboxes
}

// atOnce runs a phase of all sandboxes at the same time, and returns how long one took on average.
func atOnce(t *testing.T, sandboxes []*sandbox, phase string) time.Duration {
	t.Helper()
	results, took := make([]result, len(sandboxes)), make([]time.Duration, len(sandboxes))
	var group sync.WaitGroup
	for i, b := range sandboxes {
		group.Go(func() {
			start := time.Now()
			results[i] = b.run(t, phase, -1)
			took[i] = time.Since(start)
		})
	}
	group.Wait()
	total := time.Duration(0)
	for i, got := range results {
		total += took[i]
		assert.NoError(t, got.err, "%s of %s: %s", phase, sandboxes[i].name, got.log)
	}
	return total / time.Duration(len(took))
}

// Phases that are killed at random moments leave nothing once the delete phase has run to its end. KILLS is the number of kills,
// SEED repeats their moments. Sandboxes are killed at the same time, so there are many kills for each start of a server.
func TestPlugin_leavesNothingAfterKills(t *testing.T) {
	seed := number(t, "SEED", int(time.Now().UnixNano()%1_000_000))
	t.Logf("SEED=%d", seed)
	eachPlugin(t, func(t *testing.T, s *server) {
		random := rand.New(rand.NewPCG(uint64(seed), 0)) //nolint:gosec // it must be repeatable
		before := s.catalog(t)
		sandboxes, took := s.newSandboxes(t), map[string]time.Duration{}
		for _, phase := range []string{"create", "delete"} {
			took[phase] = atOnce(t, sandboxes, phase)
		}
		require.Equal(t, before, s.catalog(t))
		kills := 0
		for want := number(t, "KILLS", 5); kills < want; {
			var group sync.WaitGroup
			log := make([]string, len(sandboxes))
			for i, b := range sandboxes {
				phases := []string{"create", []string{"create", "delete"}[random.IntN(2)]}
				after := [2]time.Duration{}
				for n, phase := range phases {
					after[n] = time.Duration(random.Int64N(int64(took[phase])))
				}
				kills += len(phases)
				log[i] = fmt.Sprintf("%s: %v after %v", b.name, phases, after)
				group.Go(func() {
					for n, phase := range phases {
						b.run(t, phase, after[n])
					}
				})
			}
			group.Wait()
			atOnce(t, sandboxes, "delete")
			require.Equal(t, before, s.catalog(t), "killed %s", strings.Join(log, "\n"))
		}
		t.Logf("%d kills of phases that take %v", kills, took)
	})
}

// Sandboxes are created and deleted at the same time.
func TestPlugin_runsManySandboxesAtOnce(t *testing.T) {
	eachPlugin(t, func(t *testing.T, s *server) {
		before := s.catalog(t)
		sandboxes := s.newSandboxes(t)
		atOnce(t, sandboxes, "create")
		assert.NotEqual(t, before, s.catalog(t))
		atOnce(t, sandboxes, "delete")
		assert.Equal(t, before, s.catalog(t))
	})
}

func TestPlugin_refusesWrongPassword(t *testing.T) {
	eachPlugin(t, func(t *testing.T, s *server) {
		before := s.catalog(t)
		const wrong = "wrongpasswordofthetest"
		b := s.newSandbox(t, "wrong", wrong)
		for _, phase := range []string{"create", "delete"} {
			got := b.run(t, phase, -1)
			require.Error(t, got.err, phase)
			assert.Regexp(t, `refuses|authentication failed|Access denied`, got.log, phase)
			assert.NotContains(t, got.log+got.printed, wrong, phase)
		}
		assert.Equal(t, before, s.catalog(t))
	})
}

// The server fails in the middle of a phase and starts again: the phase succeeds, now or when it runs again.
func TestPlugin_survivesRestartOfServer(t *testing.T) {
	eachPlugin(t, func(t *testing.T, s *server) {
		before := s.catalog(t)
		b := s.newSandbox(t, "restart", s.password)
		for _, phase := range []string{"create", "delete"} {
			done := make(chan result)
			go func() { done <- b.run(t, phase, -1) }()
			time.Sleep(time.Second)
			s.kill()
			s.start(t)
			if got := <-done; got.err != nil {
				assert.NotContains(t, got.log, s.password)
				b.must(t, phase)
			}
		}
		assert.Equal(t, before, s.catalog(t))
	})
}

// No process list has a password while phases run, and neither their logs nor the files that the server logs to.
func TestPlugin_showsNoPassword(t *testing.T) {
	eachPlugin(t, func(t *testing.T, s *server) {
		b := s.newSandbox(t, "secret", s.password)
		seen := &sync.Map{}
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				default:
					readProcesses(seen)
				}
			}
		}()
		created := b.must(t, "create")
		deleted := b.must(t, "delete")
		close(stop)
		<-stopped

		secrets := map[string]string{"of the administrator": s.password}
		outputs := created.outputs()
		for _, name := range []string{"password", "secret-access-key", "token"} {
			if value := outputs[name]; value != "" {
				secrets["output "+name] = value
			}
		}
		commands := 0
		seen.Range(func(command, _ any) bool {
			commands++
			for what, secret := range secrets {
				assert.NotContains(t, command, secret, "the password %s is in a process list", what)
			}
			return true
		})
		assert.Greater(t, commands, 10, "the process list must have been read")
		for what, secret := range secrets {
			assert.NotContains(t, created.log+deleted.log, secret, "the password %s is in a log of the plugin", what)
			assert.Empty(t, s.logsWith(t, secret), "the password %s is in a log of the server", what)
		}
	})
}

// readProcesses adds the command lines of all processes of this machine.
func readProcesses(seen *sync.Map) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && len(text) > 0 { // it may have ended
			seen.Store(string(bytes.ReplaceAll(text, []byte{0}, []byte{' '})), true)
		}
	}
}

// logsWith returns the log files of the server that have a text.
func (s *server) logsWith(t *testing.T, text string) []string {
	t.Helper()
	var found []string
	logs := 0
	require.NoError(t, filepath.WalkDir(s.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".log" || strings.Contains(path, "/data/") {
			return nil //nolint:nilerr // the server removes files while they are listed
		}
		logs++
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		if bytes.Contains(content, []byte(text)) {
			found = append(found, path)
		}
		return nil
	}))
	require.NotZero(t, logs, "the server must have a log")
	return found
}

// A plugin neither changes nor deletes an object that has the name that it would use, but that it has not created:
// testdata/foreign creates one.
func TestPlugin_refusesWhatItHasNotCreated(t *testing.T) {
	eachPlugin(t, func(t *testing.T, s *server) {
		b := s.newSandbox(t, "foreign", s.password)
		outputs := b.must(t, "create").outputs()
		b.must(t, "delete")
		name := ""
		for _, output := range []string{"username", "stream", "bucket", "namespace", "host"} {
			if name == "" {
				name = outputs[output]
			}
		}
		require.NotEmpty(t, name)
		command := exec.Command(filepath.Join(s.plugin, "testdata", "foreign"), name)
		command.Env = s.environment("SERVER_PORT=" + strconv.Itoa(s.port))
		text, err := command.CombinedOutput()
		require.NoError(t, err, "%s", text)
		before := s.catalog(t)
		for _, phase := range []string{"create", "delete"} {
			got := b.run(t, phase, -1)
			require.Error(t, got.err, phase)
			assert.Contains(t, got.log, "this plugin has not created it", phase)
		}
		assert.Equal(t, before, s.catalog(t))
	})
}

// noSpace matches the reports of plugins if their server has no space left.
var noSpace = regexp.MustCompile(`(?i)no space left|space left on its disk|disk full|database space exceeded|drive.*(full|threshold)|MISCONF`)

// assertNoSpace checks the output of a phase that has failed for lack of space on the server, which may have ended.
func (s *server) assertNoSpace(t *testing.T, what string, got result) {
	t.Helper()
	reason := noSpace
	if _, err := s.list(); err != nil {
		reason = regexp.MustCompile(noSpace.String() + `|does not (answer|accept)`)
	}
	assert.Regexp(t, reason, got.log, what)
	t.Logf("%s: %s", what, got.log)
}

// space fills the server or frees its space: up to the server's own quota with testdata/fill and testdata/free, or its
// disk, a tmpfs, with a file.
func (s *server) space(t *testing.T, verb string) {
	t.Helper()
	ballast := filepath.Join(s.folder, "ballast")
	switch program := filepath.Join(s.plugin, "testdata", verb); {
	case exists(program):
		command := exec.Command(program)
		command.Env = s.environment("SERVER_PORT=" + strconv.Itoa(s.port))
		text, err := command.CombinedOutput()
		require.NoError(t, err, "%s", text)
	case verb == "fill":
		for _, block := range []string{"bs=64k", "bs=4k"} { // to the last page
			text, err := exec.Command("dd", "if=/dev/zero", "of="+ballast, "oflag=append", "conv=notrunc", block).CombinedOutput()
			require.Error(t, err)
			require.Contains(t, string(text), "No space left on device")
		}
	default:
		require.NoError(t, os.Remove(ballast))
	}
}

// The server has no space left: the create phase fails with the server's reason, the delete phase does or needs no space, and
// nothing is half once there is space again.
func TestPlugin_survivesFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		checkout.LeaveOut(t, "mounting a file system needs root")
	}
	eachVersion(t, func(t *testing.T, plugin string, v version) {
		s := newServer(t, plugin, v)
		require.NoError(t, syscall.Mount("tmpfs", s.folder, "tmpfs", 0, "size=1200m,mode=0777"))
		t.Cleanup(func() {
			s.kill()
			_ = syscall.Unmount(s.folder, syscall.MNT_DETACH)
		})
		s.start(t)
		before := s.catalog(t)
		existing, b := s.newSandbox(t, "existing", s.password), s.newSandbox(t, "full", s.password)
		existing.must(t, "create")

		s.space(t, "fill")
		got := b.run(t, "create", -1)
		require.Error(t, got.err, "create: %s", got.log)
		s.assertNoSpace(t, "create", got)
		for _, deleted := range []*sandbox{b, existing} {
			if got := deleted.run(t, "delete", -1); got.err != nil {
				s.assertNoSpace(t, "delete of "+deleted.name, got)
			} else {
				t.Logf("the delete of %s needs no space on the server", deleted.name)
			}
		}

		s.space(t, "free")
		if _, err := s.list(); err != nil { // some servers end
			s.kill()
			s.start(t)
		}
		for _, deleted := range []*sandbox{b, existing} {
			deleted.must(t, "delete")
		}
		assert.Equal(t, before, s.catalog(t))
		b.must(t, "create")
		b.must(t, "delete")
		assert.Equal(t, before, s.catalog(t))
	})
}
