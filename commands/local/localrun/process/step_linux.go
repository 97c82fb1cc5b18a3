package process

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
)

// Main runs a step if the engine has started the program for that, and returns its exit code.
func Main(arguments []string) (exitCode int, isStep bool) {
	if len(arguments) < 2 {
		return 0, false
	}
	command := arguments[1:]
	switch arguments[0] {
	case RunnerArgument:
		return run(runner.CgroupFolder, command), true
	case plainArgument:
		return runner.Runner{
			Folder: volumeFolder(command[0]), Reporter: runner.Reporter{Stderr: os.Stderr, TerminationLog: messageFile(command[0])},
			Command: command[1:],
		}.Run(), true
	case stepArgument:
		for _, file := range []int{controlFile, startedFile} {
			syscall.CloseOnExec(file) // not inherited by scripts
		}
		started := os.NewFile(startedFile, "started")
		report(started)
		go forwardSignals(os.NewFile(controlFile, "control"))
		exitCode = runStep(command)
		if hasOthers() {
			report(started)
		}
		return exitCode, true
	}
	return 0, false
}

func run(cgroup string, command []string) int {
	return runner.Runner{Folder: contract.IOFolder, Cgroup: cgroup, Reporter: reporter(), Command: command}.Run()
}

// runStep runs the command of a step, with the runner if it has data flow. The runner waits for processes that the script
// has left.
func runStep(command []string) int {
	if command[0] == contract.RunnerFile {
		return run("", command[1:])
	}
	code := runCommand(command)
	for end := time.Now().Add(othersGrace); code == 0 && hasOthers() && time.Now().Before(end); {
		time.Sleep(othersInterval)
	}
	return code
}

// hasOthers reports whether the namespace has running processes other than this one and that of bubblewrap.
func hasOthers() bool {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		process := filepath.Base(filepath.Dir(file))
		if process == "1" || process == strconv.Itoa(os.Getpid()) {
			continue
		}
		stat, err := os.ReadFile(file)
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if err == nil && len(fields) > 0 && fields[0] != "Z" && fields[0] != "X" {
			return true
		}
	}
	return false
}

func reporter() runner.Reporter {
	return runner.Reporter{Stderr: os.Stderr, TerminationLog: runner.TerminationLog}
}

// report writes a byte to the engine: the first one says that bubblewrap has started the step, a second one that processes
// remain.
func report(started *os.File) { _, _ = started.Write([]byte{0}) }

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
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	if term.IsTerminal(0) { // a shell controls it: the groups outside of the namespace have no ids
		command.SysProcAttr = &syscall.SysProcAttr{Foreground: true}
	}
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
