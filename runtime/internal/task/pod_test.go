package task_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/fakeapi"
	"github.com/resource-plugins/krm-functions/runtime/internal/fakenode"
	"github.com/resource-plugins/krm-functions/runtime/internal/report"
	"github.com/resource-plugins/krm-functions/runtime/internal/task"
)

// marker is in every value; no log and no message may have it.
const marker = "hunter2-marker"

// Variables that make this test binary the helper program, with a Pod's paths below a temporary folder.
const (
	podVariable    = "TEST_POD"
	tokenVariable  = "TEST_TOKEN"
	runnerVariable = "TEST_RUNNER"
	paceVariable   = "TEST_PACE" // see fakeapi.Pace
)

// enough is how long a test waits for what must happen: a starved machine takes a hundred times as long as a quiet one.
const enough = 2 * time.Minute

func hurried() cluster.Timing {
	number, _ := strconv.Atoi(os.Getenv(paceVariable))
	pace := time.Duration(number)
	return cluster.Timing{
		Connect: pace * time.Second, Request: pace * time.Second, Watch: 2 * time.Second,
		Pause: 5 * time.Millisecond, Patience: pace * 2 * time.Second,
	}
}

func TestMain(m *testing.M) {
	if os.Getenv(podVariable) != "" {
		go endWith(os.Getppid())
		os.Exit(host().Main(task.UntilTerminated(context.Background()), os.Args[1:]))
	}
	// The processes of a Pod mostly wait, so more Pods than cores can live at once.
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	if err := os.Setenv(paceVariable, strconv.Itoa(fakeapi.Pace())); err != nil {
		panic(err)
	}
	os.Exit(fakenode.Main(m))
}

// endWith ends a helper when its test binary is killed: it would ask a server that is gone for hours.
func endWith(parent int) {
	for os.Getppid() == parent {
		time.Sleep(time.Second)
	}
	os.Exit(1)
}

func host() task.Host {
	pod := os.Getenv(podVariable)
	return task.Host{
		Getenv: os.Getenv, IOFolder: filepath.Join(pod, "io"), TokenFolder: os.Getenv(tokenVariable),
		Runner: os.Getenv(runnerVariable), Timing: hurried(), Standing: 100 * time.Millisecond,
		Reporter: report.Reporter{Stderr: os.Stderr, TerminationLog: filepath.Join(pod, "termination-log")},
	}
}

// pod is one rendered Pod, its containers as processes.
type pod struct {
	t      *testing.T
	server *fakeapi.Server
	folder string
	step   step
	log    *log
}

// step is what the renderer would know of one.
type step struct {
	plan    contract.Plan
	secrets []string // of the producers
	output  string
	script  string // @/ stands for a folder of the Pod
	image   image
	delay   time.Duration // before main starts
	command string        // in place of the runner
}

// image is when main's image comes.
type image int

const (
	atOnce image = iota
	never
	tooLate
)

// ending is how a Pod's containers ended; -1 is one that was not started.
type ending struct{ inputs, main, outputs int }

var success = ending{}

func newPod(t *testing.T, server *fakeapi.Server, step step) *pod {
	t.Helper()
	p := &pod{t: t, server: server, folder: t.TempDir(), step: step, log: &log{}}
	require.NoError(t, os.Mkdir(filepath.Join(p.folder, "io"), 0o777))
	require.NoError(t, os.Mkdir(filepath.Join(p.folder, "tmp"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(p.folder, "termination-log"), nil, 0o600))
	script := []byte(strings.ReplaceAll(step.script, "@/", p.folder+"/"))
	require.NoError(t, fakenode.Unforked(func() error { return os.WriteFile(p.script(), script, 0o700) }))
	for i := range p.step.plan.Outputs {
		p.step.plan.Outputs[i].Path = strings.ReplaceAll(p.step.plan.Outputs[i].Path, "@/", p.folder+"/")
	}
	return p
}

func (p *pod) script() string { return filepath.Join(p.folder, "script") }

// play does what the kubelet does: the init container, then main when its image is there, and the output manager.
func (p *pod) play() ending {
	p.t.Helper()
	if code := p.end(p.start("inputs")); code != 0 {
		return ending{code, -1, -1}
	}
	outputs := make(chan int, 1)
	if p.step.output == "" {
		outputs <- 0
	} else {
		command := p.start("outputs")
		go func() { outputs <- p.end(command) }()
	}
	main := -1
	if p.step.image == tooLate {
		require.Eventually(p.t, func() bool { return p.exists("io/abandoned") }, enough, time.Millisecond)
	}
	if p.step.image != never {
		time.Sleep(p.step.delay)
		main = p.end(p.main())
	}
	return ending{0, main, <-outputs}
}

// start starts one of the helpers.
func (p *pod) start(name string) *exec.Cmd {
	p.t.Helper()
	command := exec.Command(os.Args[0], name)
	command.Env = append(os.Environ(), p.environment(name)...)
	command.Stdout, command.Stderr = p.log, p.log
	require.NoError(p.t, command.Start())
	return command
}

// environment is what the renderer gives the helper: the output manager knows no producers' Secrets.
func (p *pod) environment(helper string) []string {
	address, port := p.server.Address()
	plan, err := json.Marshal(p.step.plan)
	require.NoError(p.t, err)
	variables := []string{
		podVariable + "=" + p.folder, tokenVariable + "=" + p.server.Folder, runnerVariable + "=" + fakenode.Runner,
		"KUBERNETES_SERVICE_HOST=" + address, "KUBERNETES_SERVICE_PORT=" + port,
		contract.NamespaceVariable + "=ns", contract.PlanVariable + "=" + string(plan),
		contract.OutputSecretVariable + "=" + p.step.output,
	}
	if helper == contract.HelperOutputs {
		return variables
	}
	for i, secret := range p.step.secrets {
		variables = append(variables, contract.InputSecretVariable(i)+"="+secret)
	}
	return variables
}

// main starts main.
func (p *pod) main() *exec.Cmd {
	p.t.Helper()
	program := filepath.Join(p.folder, "io", "runner")
	if p.step.command != "" {
		program = p.step.command
	}
	command := exec.Command(program, p.script())
	command.Stdout, command.Stderr = p.log, p.log
	_ = command.Start()
	return command
}

// end waits for a process; one that could not be started ends with 128, as the kubelet says it.
func (p *pod) end(command *exec.Cmd) int {
	if command.Process == nil {
		return 128
	}
	_ = command.Wait()
	if code := command.ProcessState.ExitCode(); code >= 0 {
		return code
	}
	return 137
}

// message is the termination message of the helpers.
func (p *pod) message() string {
	content, err := os.ReadFile(filepath.Join(p.folder, "termination-log"))
	require.NoError(p.t, err)
	return string(content)
}

// says waits until a line of the log has the text.
func (p *pod) says(text string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool { return strings.Contains(p.log.String(), text) }, enough, time.Millisecond)
}

func (p *pod) exists(file string) bool {
	_, err := os.Stat(filepath.Join(p.folder, file))
	return err == nil
}

// log is a stream that several processes write to.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
