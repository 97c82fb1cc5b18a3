package test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
)

// mainOnly is the container main after the input manager has run, with the real runner in the shared volume.
type mainOnly struct {
	t      *testing.T
	at     string // the folder of the shared volume
	tmp    string // where the script writes its outputs
	volume *runner.Volume
	script string
	log    *bytes.Buffer
}

// newMain declares one output, dsn, at tmp/out/dsn. In the script, @/ stands for the folder tmp.
func newMain(t *testing.T, script string) *mainOnly {
	t.Helper()
	p := &mainOnly{t: t, at: t.TempDir(), tmp: t.TempDir(), log: &bytes.Buffer{}}
	var err error
	p.volume, err = runner.OpenVolume(p.at)
	require.NoError(t, err)
	p.prepare(contract.Output{Name: "dsn", Path: filepath.Join(p.tmp, "out", "dsn")})
	p.script = filepath.Join(p.tmp, "script")
	p.write(script)
	return p
}

// write replaces the script.
func (p *mainOnly) write(script string) {
	p.t.Helper()
	require.NoError(p.t, withoutForks(func() error {
		return os.WriteFile(p.script, []byte(p.in(script)), 0o700)
	}))
}

// in replaces @io/ and @/ with the folders of the Pod.
func (p *mainOnly) in(text string) string {
	return strings.NewReplacer("@io/", p.at+"/", "@/", p.tmp+"/").Replace(text)
}

func (p *mainOnly) prepare(outputs ...contract.Output) {
	p.t.Helper()
	p.plan(contract.Plan{Step: "provision", Generation: "g1", Outputs: outputs})
}

func (p *mainOnly) plan(plan contract.Plan) {
	p.t.Helper()
	require.NoError(p.t, p.volume.Prepare(plan))
	require.NoError(p.t, withoutForks(func() error { return p.volume.CopyRunner(runnerPath) }))
}

// command returns the process of main.
func (p *mainOnly) command(arguments ...string) *exec.Cmd {
	command := exec.Command(filepath.Join(p.at, "runner"), append([]string{p.script}, arguments...)...)
	command.Stdout, command.Stderr = p.log, p.log
	command.Env = append(os.Environ(), "PASSWORD="+marker)
	return command
}

func (p *mainOnly) start(arguments ...string) *exec.Cmd {
	p.t.Helper()
	command := p.command(arguments...)
	require.NoError(p.t, command.Start())
	return command
}

// run runs main to its end and returns its exit code.
func (p *mainOnly) run(arguments ...string) int {
	p.t.Helper()
	command := p.start(arguments...)
	_ = command.Wait()
	return command.ProcessState.ExitCode()
}

// ran waits until the script has written a file, and returns its content.
func (p *mainOnly) ran(file string) string {
	p.t.Helper()
	var content []byte
	require.Eventually(p.t, func() bool {
		content, _ = os.ReadFile(filepath.Join(p.tmp, file))
		return len(content) > 0
	}, enough, 2*time.Millisecond)
	return strings.TrimSpace(string(content))
}

// requireExit checks the exit code for the output manager.
func (p *mainOnly) requireExit(code int) {
	p.t.Helper()
	left, err := p.volume.Exit()
	require.NoError(p.t, err)
	require.Equal(p.t, code, left)
}

func (p *mainOnly) requireFree() {
	p.t.Helper()
	lock, err := p.volume.TryLock()
	require.NoError(p.t, err)
	lock.Unlock()
}

// alive reports whether the process runs. A zombie does not.
func alive(process int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	return err == nil && !bytes.Contains(status, []byte(") Z "))
}

// killChild kills a child process that a script has left running, unless it has ended and another program has its id.
func killChild(process int, names ...string) {
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", process))
	if slices.Contains(names, strings.TrimSpace(string(name))) {
		_ = syscall.Kill(process, syscall.SIGKILL)
	}
}
