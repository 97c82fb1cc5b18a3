package run_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/fakenode"
	"github.com/resource-plugins/krm-functions/runtime/internal/handover"
)

// marker stands for a value that must be in no log and no message.
const marker = "hunter2-marker"

// enough is how long a test waits for what must happen: a starved machine takes a hundred times as long as a quiet one.
const enough = 2 * time.Minute

func TestMain(m *testing.M) { os.Exit(fakenode.Main(m)) }

// pod is main as the input manager leaves it, with the real runner in the shared folder.
type pod struct {
	t      *testing.T
	at     string // the shared folder
	tmp    string // where the script leaves its outputs
	folder *handover.Folder
	script string
	log    *bytes.Buffer
}

// newPod declares one output, dsn, at tmp/out/dsn. @/ in the script stands for it.
func newPod(t *testing.T, script string) *pod {
	t.Helper()
	p := &pod{t: t, at: t.TempDir(), tmp: t.TempDir(), log: &bytes.Buffer{}}
	var err error
	p.folder, err = handover.Open(p.at)
	require.NoError(t, err)
	p.prepare(contract.Output{Name: "dsn", Path: filepath.Join(p.tmp, "out", "dsn")})
	p.script = filepath.Join(p.tmp, "script")
	p.write(script)
	return p
}

// write replaces the script.
func (p *pod) write(script string) {
	p.t.Helper()
	require.NoError(p.t, fakenode.Unforked(func() error {
		return os.WriteFile(p.script, []byte(p.in(script)), 0o700)
	}))
}

// in puts the Pod's folders into a text.
func (p *pod) in(text string) string {
	return strings.NewReplacer("@io/", p.at+"/", "@/", p.tmp+"/").Replace(text)
}

func (p *pod) prepare(outputs ...contract.Output) {
	p.t.Helper()
	p.plan(contract.Plan{Step: "provision", Generation: "g1", Outputs: outputs})
}

func (p *pod) plan(plan contract.Plan) {
	p.t.Helper()
	require.NoError(p.t, fakenode.Unforked(func() error { return p.folder.Prepare(plan, fakenode.Runner) }))
}

// command is main's process.
func (p *pod) command(arguments ...string) *exec.Cmd {
	command := exec.Command(filepath.Join(p.at, "runner"), append([]string{p.script}, arguments...)...)
	command.Stdout, command.Stderr = p.log, p.log
	command.Env = append(os.Environ(), "PASSWORD="+marker)
	return command
}

func (p *pod) start(arguments ...string) *exec.Cmd {
	p.t.Helper()
	command := p.command(arguments...)
	require.NoError(p.t, command.Start())
	return command
}

// run runs main to its end and returns its exit code.
func (p *pod) run(arguments ...string) int {
	p.t.Helper()
	command := p.start(arguments...)
	_ = command.Wait()
	return command.ProcessState.ExitCode()
}

// ran waits until the script has written the file, and returns its content.
func (p *pod) ran(file string) string {
	p.t.Helper()
	var content []byte
	require.Eventually(p.t, func() bool {
		content, _ = os.ReadFile(filepath.Join(p.tmp, file))
		return len(content) > 0
	}, enough, 2*time.Millisecond)
	return strings.TrimSpace(string(content))
}

// requireExit checks what the output manager will see.
func (p *pod) requireExit(code int) {
	p.t.Helper()
	left, err := p.folder.Exit()
	require.NoError(p.t, err)
	require.Equal(p.t, code, left)
}

func (p *pod) requireFree() {
	p.t.Helper()
	lock, err := p.folder.Try()
	require.NoError(p.t, err)
	lock.Release()
}

// alive tells whether the process runs. One that is dead and not yet buried by its parent does not.
func alive(process int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	return err == nil && !bytes.Contains(status, []byte(") Z "))
}
