package run

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// shell runs a script without a #! line, as a shell would run it.
const shell = "/bin/sh"

// start executes the script's file and returns the process's number.
func start(command []string) (int, error) {
	process, err := execute(command)
	if errors.Is(err, syscall.ENOEXEC) {
		process, err = execute(append([]string{shell}, command...))
	}
	if err != nil {
		return 0, explain(command[0], err)
	}
	return process, nil
}

func execute(command []string) (int, error) {
	return syscall.ForkExec(command[0], command, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: []uintptr{0, 1, 2},
		// A runner that is killed takes the script with it: what it still did would be lost.
		Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL},
	})
}

// explain says why the kernel did not execute the script: its ENOENT can mean the script or the interpreter.
func explain(file string, err error) error {
	line, readable := firstLine(file)
	interpreter := interpreterOf(line)
	switch {
	case !readable:
		return &refusal{exitNotFound, fmt.Sprintf("the script %q must be a file that main's user can read", file)}
	case errors.Is(err, syscall.ENOENT) && interpreter == "":
		return &refusal{exitNotFound, fmt.Sprintf("the script has no #! line, and %q is not in the image", shell)}
	case errors.Is(err, syscall.ENOENT) && endsInReturn(line):
		return &refusal{exitNotFound, fmt.Sprintf("the interpreter %q ends in a carriage return: the script must have "+
			"line feeds alone (LF, not CRLF)", interpreter)}
	case errors.Is(err, syscall.ENOENT):
		return &refusal{exitNotFound, fmt.Sprintf("the script's interpreter %q is not in the image", interpreter)}
	case errors.Is(err, syscall.EACCES) && interpreter != "":
		return &refusal{exitNoCommand, fmt.Sprintf("the script or its interpreter %q must be executable by main's user",
			interpreter)}
	default:
		return &refusal{exitNoCommand, fmt.Sprintf("the script cannot be executed: %v", err)}
	}
}
