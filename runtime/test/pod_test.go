package test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/manager"
	"github.com/resource-plugins/krm-functions/runtime/internal/termination"
)

// patient has timeouts that no test reaches; shortest has timeouts as short as this machine allows.
var (
	patient = cluster.Timing{
		Connect: enough, Request: enough, Watch: 2 * time.Second, Interval: 5 * time.Millisecond, ApplyTimeout: 2 * time.Second,
	}
	shortest = cluster.Timing{
		Connect: slowdown * time.Second, Request: slowdown * time.Second, Watch: 2 * time.Second, Interval: 5 * time.Millisecond, ApplyTimeout: enough,
	}
)

// pod is one rendered Pod: its helpers are goroutines, main is a process.
type pod struct {
	messages

	server *Server
	step   step
	timing cluster.Timing
	// terminationGrace is that of the output manager.
	terminationGrace time.Duration
}

// messages are those of the programs of a Pod, with a folder for its files.
type messages struct {
	t      *testing.T
	folder string
	log    *logBuffer
}

func newMessages(t *testing.T) messages {
	t.Helper()
	m := messages{t: t, folder: t.TempDir(), log: &logBuffer{}}
	require.NoError(t, os.WriteFile(m.terminationLog(), nil, 0o600))
	return m
}

func (m messages) terminationLog() string { return filepath.Join(m.folder, "termination-log") }

func (m messages) reporter() runner.Reporter {
	return runner.Reporter{Stderr: m.log, TerminationLog: m.terminationLog()}
}

// message returns the last termination message.
func (m messages) message() string {
	content, err := os.ReadFile(m.terminationLog())
	require.NoError(m.t, err)
	return string(content)
}

// waitForLog waits until the log contains the text.
func (m messages) waitForLog(text string) {
	m.t.Helper()
	require.Eventually(m.t, func() bool { return strings.Contains(m.log.String(), text) }, enough, time.Millisecond)
}

// container is a helper or main.
type container interface {
	wait() (code int)
	terminate()
}

// step has the renderer's information about a step.
type step struct {
	plan    contract.Plan
	secrets []string // of the producers
	jobs    []string // of the producers, if known
	output  string
	budget  string // the PodDisruptionBudget of the forks
	script  string // @/ stands for a folder of the Pod
	image   image
	delay   time.Duration // before main starts
	command string        // replaces the runner
}

// image is the time when the image of main is available.
type image int

const (
	atOnce image = iota
	never
	tooLate
)

// ending has the exit codes of a Pod. -1 means that the container was not started.
type ending struct{ inputs, main, outputs int }

var success = ending{}

func newPod(t *testing.T, server *Server, step step) *pod {
	t.Helper()
	p := &pod{messages: newMessages(t), server: server, step: step, timing: patient}
	require.NoError(t, os.Mkdir(filepath.Join(p.folder, "io"), 0o777))
	require.NoError(t, os.Mkdir(filepath.Join(p.folder, "tmp"), 0o777))
	script := []byte(strings.ReplaceAll(step.script, "@/", p.folder+"/"))
	require.NoError(t, withoutForks(func() error { return os.WriteFile(p.script(), script, 0o700) }))
	for i := range p.step.plan.Outputs {
		p.step.plan.Outputs[i].Path = strings.ReplaceAll(p.step.plan.Outputs[i].Path, "@/", p.folder+"/")
	}
	return p
}

func (p *pod) script() string { return filepath.Join(p.folder, "script") }

// play runs a Pod as the kubelet does: the init container, then main when its image is available, and the output manager.
func (p *pod) play() ending {
	p.t.Helper()
	if code := p.start("inputs").wait(); code != 0 {
		return ending{code, -1, -1}
	}
	outputs := make(chan int, 1)
	if p.step.output == "" {
		outputs <- 0
	} else {
		command := p.start("outputs")
		go func() { outputs <- command.wait() }()
	}
	main := -1
	if p.step.image == tooLate {
		require.Eventually(p.t, func() bool { return p.exists("io/abandoned") }, enough, time.Millisecond)
	}
	if p.step.image != never {
		time.Sleep(p.step.delay)
		main = p.main().wait()
	}
	return ending{0, main, <-outputs}
}

// start starts a helper.
func (p *pod) start(name string) container {
	p.t.Helper()
	variables := p.environment(name)
	host := manager.Host{
		Getenv: func(name string) string { return variables[name] }, IOFolder: filepath.Join(p.folder, "io"),
		TokenFolder: p.server.Folder, Runner: runnerPath, Timing: p.timing, FailureGrace: 100 * time.Millisecond,
		TerminationGrace: p.terminationGrace,
		Reporter:         p.reporter(),
	}
	ctx, cancel := context.WithCancelCause(p.t.Context())
	running := &helper{ended: make(chan int, 1), cancel: cancel}
	go func() { running.ended <- host.Run(ctx, []string{name}) }()
	return running
}

type helper struct {
	ended  chan int
	cancel context.CancelCauseFunc
}

func (h *helper) wait() int  { return <-h.ended }
func (h *helper) terminate() { h.cancel(termination.Err) }

// environment returns the variables of a rendered helper. The output manager has no variables for the Secrets of producers.
func (p *pod) environment(helper string) map[string]string {
	address, port := p.server.Address()
	plan, err := json.Marshal(p.step.plan)
	require.NoError(p.t, err)
	variables := map[string]string{
		"KUBERNETES_SERVICE_HOST": address, "KUBERNETES_SERVICE_PORT": port,
		contract.NamespaceVariable: "ns", contract.PlanVariable: string(plan), contract.OutputSecretVariable: p.step.output,
	}
	if p.step.budget != "" {
		variables[contract.ForkBudgetVariable] = p.step.budget
	}
	if helper == contract.HelperOutputs {
		return variables
	}
	for i, secret := range p.step.secrets {
		variables[contract.InputSecretVariable(i)] = secret
	}
	for i, job := range p.step.jobs {
		variables[contract.InputJobVariable(i)] = job
	}
	return variables
}

// main starts main.
func (p *pod) main() container {
	p.t.Helper()
	program := filepath.Join(p.folder, "io", "runner")
	if p.step.command != "" {
		program = p.step.command
	}
	for {
		command := exec.Command(program, p.script())
		command.Stdout, command.Stderr = p.log, p.log
		// A process that another test has just forked may still have the program open for writing.
		if err := command.Start(); !errors.Is(err, syscall.ETXTBSY) {
			return process{command}
		}
		time.Sleep(time.Millisecond)
	}
}

type process struct{ *exec.Cmd }

// wait returns the exit code. Like the kubelet, it returns 128 for a process that could not be started, and 128 plus the
// number of the signal for a process that was killed.
func (p process) wait() int {
	if p.Process == nil {
		return 128
	}
	_ = p.Wait()
	if status, ok := p.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return p.ProcessState.ExitCode()
}

func (p process) terminate() { _ = p.Process.Signal(syscall.SIGTERM) }

func (p *pod) exists(file string) bool {
	_, err := os.Stat(filepath.Join(p.folder, file))
	return err == nil
}

// logBuffer is a buffer that several processes write to.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
