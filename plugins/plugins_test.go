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
	"strconv"
	"strings"
	"sync"
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
	files, err := filepath.Glob("*/test.yaml")
	require.NoError(t, err)
	for _, file := range files {
		name := filepath.Dir(file)
		if only := os.Getenv("PLUGINS"); only != "" && !strings.Contains(","+only+",", ","+name+",") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			arguments := []string{"test", filepath.Join(name, "plugin.yaml"), file, "--engine", "process"}
			if migrations := filepath.Join(name, "testdata", "migrations.yaml"); exists(migrations) {
				arguments = append(arguments, migrations)
			}
			command := exec.Command(filepath.Join(checkout.Root(), "bin", "rplug"), arguments...)
			command.Env = environment()
			text, err := command.CombinedOutput()
			require.NoError(t, err, "%s", text)
			t.Logf("%s", text)
		})
	}
}

// Phases that are killed at random moments leave nothing once the delete phase has run to its end. KILLS is the number of rounds,
// SEED repeats them.
func TestPlugin_leavesNothingAfterKills(t *testing.T) {
	seed := number(t, "SEED", int(time.Now().UnixNano()%1_000_000))
	t.Logf("SEED=%d", seed)
	eachPlugin(t, func(t *testing.T, s *server) {
		random := rand.New(rand.NewPCG(uint64(seed), 0)) //nolint:gosec // it must be repeatable
		before := s.catalog(t)
		b := s.newSandbox(t, "killed", s.password)
		took := map[string]time.Duration{}
		for _, phase := range []string{"create", "delete"} {
			start := time.Now()
			b.must(t, phase)
			took[phase] = time.Since(start)
		}
		require.Equal(t, before, s.catalog(t))
		for round := range number(t, "KILLS", 5) {
			after := map[string]time.Duration{}
			kill := func(phase string) {
				after[phase] = time.Duration(random.Int64N(int64(took[phase])))
				b.run(t, phase, after[phase])
			}
			kill("create")
			if random.IntN(2) == 0 {
				kill("create")
			}
			if random.IntN(2) == 0 {
				kill("delete")
			}
			b.must(t, "delete")
			require.Equal(t, before, s.catalog(t), "round %d, killed after %v", round, after)
		}
	})
}

// Sandboxes are created and deleted at the same time. SANDBOXES is their number.
func TestPlugin_runsManySandboxesAtOnce(t *testing.T) {
	eachPlugin(t, func(t *testing.T, s *server) {
		before := s.catalog(t)
		sandboxes := make([]*sandbox, number(t, "SANDBOXES", 4))
		for i := range sandboxes {
			sandboxes[i] = s.newSandbox(t, fmt.Sprintf("s%d", i), s.password)
		}
		for _, phase := range []string{"create", "delete"} {
			results := make([]result, len(sandboxes))
			var group sync.WaitGroup
			for i, b := range sandboxes {
				group.Go(func() { results[i] = b.run(t, phase, -1) })
			}
			group.Wait()
			for i, got := range results {
				assert.NoError(t, got.err, "%s of %s: %s", phase, sandboxes[i].name, got.log)
			}
			if phase == "create" {
				assert.NotEqual(t, before, s.catalog(t))
			}
		}
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

// A plugin neither changes nor deletes what has the name that it would use, but that it has not created: testdata/foreign creates
// such a thing.
func TestPlugin_refusesWhatItHasNotCreated(t *testing.T) {
	eachPlugin(t, func(t *testing.T, s *server) {
		b := s.newSandbox(t, "foreign", s.password)
		outputs := b.must(t, "create").outputs()
		b.must(t, "delete")
		name := ""
		for _, output := range []string{"username", "stream", "bucket", "namespace"} {
			if name == "" {
				name = outputs[output]
			}
		}
		require.NotEmpty(t, name)
		command := exec.Command(filepath.Join(s.plugin, "testdata", "foreign"), name)
		command.Env = append(environment(), passwordVariable+"="+s.password, "SERVER_PORT="+strconv.Itoa(s.port))
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
