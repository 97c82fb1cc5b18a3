package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
)

// bubblewrap is the program that isolates processes: https://github.com/containers/bubblewrap. It must be version 0.5 or
// later.
const bubblewrap = "bwrap"

// probe returns the path of bubblewrap, or the reason why it cannot be used.
func probe() (string, error) {
	program, err := exec.LookPath(bubblewrap)
	if err != nil {
		return "", fmt.Errorf("%s is not installed", bubblewrap)
	}
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	var log bytes.Buffer
	if _, err := runIsolated(ctx, program, localrun.Container{Command: []string{"/bin/sh", "-c", ":"}, Log: &log}); err != nil {
		lines := bytes.Split(bytes.TrimSpace(log.Bytes()), []byte("\n")) // the first of several attempts to start
		return program, fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return program, nil
}

// runIsolated runs a container with bubblewrap. The first process of the namespace is this program again, see Main: when it
// ends, the kernel kills all others. It ends with the calling process, even if that is killed.
//
// Bubblewrap fails if a mount that it has listed disappears, for example because a container on this machine ends. So it is
// retried a few times until the step has started.
func runIsolated(ctx context.Context, program string, container localrun.Container) (result localrun.Result, err error) {
	if len(container.Command) == 0 {
		return localrun.Result{}, errNoCommand
	}
	const attempts = 5
	for range attempts {
		var isStarted bool
		if result, isStarted, err = attempt(ctx, program, container); err != nil || isStarted || ctx.Err() != nil {
			return result, err
		}
	}
	return localrun.Result{}, fmt.Errorf("%s exited with %d before it started the step", bubblewrap, result.ExitCode)
}

// attempt starts bubblewrap once, and reports whether the step was started.
func attempt(
	ctx context.Context, program string, container localrun.Container,
) (result localrun.Result, isStarted bool, err error) {
	folder, err := makeFolder(container)
	if err != nil {
		return localrun.Result{}, false, err
	}
	defer func() {
		result.Kept = keepOrRemove(container, folder, isStarted && result.ExitCode != 0 && !result.Interrupted)
	}()
	arguments, err := bubblewrapArguments(container, folder)
	if err != nil {
		return localrun.Result{}, false, err
	}
	command := exec.CommandContext(ctx, program, append([]string{
		"--args", strconv.Itoa(argumentsFile), "--", contract.RunnerFile, stepArgument,
	}, container.Command...)...)
	command.Env = []string{}
	setGroup(command, container.Terminal)
	result, isStarted, err = execute(command, container, arguments)
	if err == nil && isStarted && result.ExitCode == 0 && container.Plan != nil {
		result.Outputs, result.ExitCode = outputs(container, folder)
	}
	result.Message = message(folder)
	return result, isStarted, err
}

// execute runs bubblewrap. The arguments are passed in a pipe, since other users of the machine can see command lines.
// Through a second pipe the first process of the namespace gets a byte when the context ends; through a third one it sends a
// byte when it starts, and another one if processes remain when the step ends.
func execute(
	command *exec.Cmd, container localrun.Container, arguments string,
) (result localrun.Result, isStarted bool, err error) {
	var pipes [3]struct{ read, write *os.File }
	for i := range pipes {
		pipe := &pipes[i]
		if pipe.read, pipe.write, err = os.Pipe(); err != nil {
			return localrun.Result{}, false, err
		}
		defer func() { _, _ = pipe.read.Close(), pipe.write.Close() }()
	}
	options, control, started := pipes[0], pipes[1], pipes[2]
	command.ExtraFiles = []*os.File{options.read, control.read, started.write} // argumentsFile, controlFile, and startedFile
	command.Cancel = func() error {
		_, err := control.write.Write([]byte{0})
		return err
	}
	// With --die-with-parent bubblewrap depends on the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	result, err = start(command, container, func() {
		_, _, _ = options.read.Close(), control.read.Close(), started.write.Close()
		_, _ = io.WriteString(options.write, arguments) // fails only if bubblewrap has ended
		_ = options.write.Close()
	})
	if err != nil {
		return result, false, fmt.Errorf("cannot start %s: %w", bubblewrap, err)
	}
	_ = started.read.SetReadDeadline(time.Now().Add(time.Second)) // for a process that still has the other end
	reports, _ := io.ReadAll(started.read)
	result.Remaining = len(reports) > 1
	return result, len(reports) > 0, nil
}

// outputs returns the outputs that the runner has written, and the exit code of the step.
func outputs(container localrun.Container, folder string) (values map[string][]byte, exitCode int) {
	volume, err := runner.OpenVolume(volumeFolder(folder))
	if err == nil {
		values, err = volume.Outputs(container.Plan.Outputs)
	}
	if err != nil {
		reporter := runner.Reporter{Stderr: container.Log, TerminationLog: messageFile(folder)}
		reporter.Fail(fmt.Sprintf("step %q: %v", container.Plan.Step, err))
		return nil, 1
	}
	return values, 0
}

// maxMessage is the size limit of a termination message in Kubernetes, counted from its end.
const maxMessage = 4096

// message returns the termination message.
func message(folder string) string {
	content, err := os.ReadFile(messageFile(folder))
	if err != nil {
		return ""
	}
	content = content[max(0, len(content)-maxMessage):]
	return strings.ToValidUTF8(string(bytes.TrimSpace(content)), "\uFFFD")
}

var errNoCommand = errors.New("main must have a command: a process has no image with one")

// messageFile and volumeFolder return paths in the temporary folder of a step.
func messageFile(folder string) string  { return filepath.Join(folder, "message") }
func volumeFolder(folder string) string { return filepath.Join(folder, "io") }
