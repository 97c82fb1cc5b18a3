package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/local/localrun"
)

// request is what the process inside the namespaces has to do. It comes through a pipe, so that no value is in a file or in
// the arguments of a process.
type request struct {
	Command     []string
	Env         []localrun.Variable
	WorkingDir  string
	Plan        *contract.Plan
	Files       []localrun.File
	Folders     []string
	MessageFile string
}

// response is how it ended. Problem is about the machine, not about the script.
type response struct {
	Problem string
	Result  localrun.Result
}

func supported() error { return nil }

// probe returns why a process cannot have namespaces of its own.
func probe() error {
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	result, err := runIsolated(ctx, localrun.Container{Command: []string{"/bin/sh", "-c", ":"}, Log: discard{}})
	if err == nil && result.ExitCode != 0 {
		err = fmt.Errorf("a shell exited with %d", result.ExitCode)
	}
	return err
}

type discard struct{}

func (discard) Write(text []byte) (int, error) { return len(text), nil }

// runIsolated runs a container in namespaces of its own: this program is started again as their first process. When that one
// ends, the kernel ends all others; and it ends with this process, however that happens.
func runIsolated(ctx context.Context, container localrun.Container) (localrun.Result, error) {
	control, send, err := os.Pipe()
	if err != nil {
		return localrun.Result{}, err
	}
	receive, answer, err := os.Pipe()
	if err != nil {
		return localrun.Result{}, errors.Join(err, control.Close(), send.Close())
	}
	defer func() { _, _ = send.Close(), receive.Close() }()
	// Pdeathsig is sent when the thread that started the process ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	command := exec.CommandContext(ctx, "/proc/self/exe", argument)
	command.Args[0] = os.Args[0]
	command.Env = []string{}
	command.Dir = "/"
	command.ExtraFiles = []*os.File{control, answer}
	command.Stdout, command.Stderr = container.Log, container.Log
	got, interrupted := make(chan *response, 1), false
	command.Cancel = func() error {
		interrupted = len(got) == 0 // otherwise it has ended by itself
		return command.Process.Signal(syscall.SIGTERM)
	}
	command.WaitDelay = gracePeriod(container.Template)
	command.SysProcAttr = namespaces()
	err = command.Start()
	_, _ = control.Close(), answer.Close()
	if err != nil {
		return localrun.Result{}, fmt.Errorf("cannot start a process with namespaces of its own: %w", err)
	}
	go func() { got <- readResponse(receive) }()
	_ = json.NewEncoder(send).Encode(request{ // if it has ended, there is no response
		container.Command, container.Env, container.WorkingDir, container.Plan, container.Files, container.Folders,
		messageFile(container.Template),
	})
	_ = command.Wait() // the state says more
	answered := <-got
	switch status, _ := command.ProcessState.Sys().(syscall.WaitStatus); {
	case answered == nil && status.Signaled():
		return localrun.Result{ExitCode: 128 + int(status.Signal()), Interrupted: interrupted}, nil
	case answered == nil:
		return localrun.Result{ExitCode: max(status.ExitStatus(), 1), Interrupted: interrupted}, nil
	case answered.Problem != "":
		return localrun.Result{}, errors.New(answered.Problem)
	}
	answered.Result.Interrupted = interrupted
	return answered.Result, nil
}

// readResponse returns what the process inside has written, nil if that is not complete.
func readResponse(from *os.File) *response {
	answered := &response{}
	if err := json.NewDecoder(from).Decode(answered); err != nil {
		return nil
	}
	return answered
}

// namespaces are those of a step. Without the rights of root they need a user namespace, in which the user is root, as the
// user of most images is.
func namespaces() *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID, Setsid: true, Pdeathsig: syscall.SIGKILL,
	}
	if os.Geteuid() != 0 {
		attributes.Cloneflags |= syscall.CLONE_NEWUSER
		attributes.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
		attributes.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	}
	return attributes
}
