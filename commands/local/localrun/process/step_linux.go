package process

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
)

// Main runs a step if the engine has started the program for that, and returns its exit code.
func Main(arguments []string) (exitCode int, isStep bool) {
	if len(arguments) < 2 {
		return 0, false
	}
	command, cgroup := arguments[1:], ""
	switch arguments[0] {
	case RunnerArgument:
		cgroup = runner.CgroupFolder
	case stepArgument:
		reportStart()
		syscall.CloseOnExec(controlFile) // not inherited by scripts
		go forwardSignals(os.NewFile(controlFile, "control"))
		if command[0] != contract.RunnerFile {
			return runCommand(command), true
		}
		command = command[1:]
	default:
		return 0, false
	}
	return runner.Runner{Folder: contract.IOFolder, Cgroup: cgroup, Reporter: reporter(), Command: command}.Run(), true
}

func reporter() runner.Reporter {
	return runner.Reporter{Stderr: os.Stderr, TerminationLog: runner.TerminationLog}
}

// reportStart reports to the engine that bubblewrap has started the step.
func reportStart() {
	started := os.NewFile(startedFile, "started")
	_, _ = started.Write([]byte{0})
	_ = started.Close()
}

// forwardSignals sends SIGTERM to this process for each byte from the engine, and SIGKILL when the engine has ended.
func forwardSignals(control *os.File) {
	request := make([]byte, 1)
	for {
		if _, err := control.Read(request); err != nil {
			os.Exit(128 + int(syscall.SIGKILL))
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
	}
}

// exitNoCommand is the exit code of a container whose command cannot be started (StartError of containerd).
const exitNoCommand = 128

// runCommand runs the command of a step without data flow.
func runCommand(arguments []string) int {
	incoming := make(chan os.Signal, 16)
	signal.Notify(incoming, syscall.SIGTERM, syscall.SIGINT)
	command := exec.Command(arguments[0], arguments[1:]...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Start(); err != nil {
		reporter().Fail(fmt.Sprintf("main cannot be started: %v", err))
		return exitNoCommand
	}
	go func() {
		for s := range incoming {
			_ = command.Process.Signal(s)
		}
	}()
	_ = command.Wait() // ProcessState has the result
	return exitCode(command.ProcessState)
}
