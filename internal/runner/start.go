//go:build linux

package runner

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// shell runs scripts without a #! line, as in POSIX shells.
const shell = "/bin/sh"

// start executes the script and returns its process id.
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
		// If the runner is killed, so is the script: its outputs would be lost.
		Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL},
	})
}

// explain describes why the kernel did not execute the script. ENOENT can mean the script or its interpreter.
func explain(file string, err error) error {
	line, readable := firstLine(file)
	interpreter := interpreterOf(line)
	switch {
	case !readable:
		return &exitError{exitNotFound, fmt.Sprintf("the script %q must be a file that the user of main can read", file)}
	case errors.Is(err, syscall.ENOENT) && interpreter == "":
		return &exitError{exitNotFound, fmt.Sprintf("the script has no #! line, and %q is not in the image", shell)}
	case errors.Is(err, syscall.ENOENT) && endsInCarriageReturn(line):
		return &exitError{exitNotFound, fmt.Sprintf("the interpreter %q ends in a carriage return: lines of the script "+
			"must end in LF, not CRLF", interpreter)}
	case errors.Is(err, syscall.ENOENT):
		return &exitError{exitNotFound, fmt.Sprintf("the script's interpreter %q is not in the image", interpreter)}
	case errors.Is(err, syscall.EACCES) && interpreter != "":
		return &exitError{exitNotExecutable, fmt.Sprintf("the script and its interpreter %q must be executable by "+
			"the user of main", interpreter)}
	default:
		return &exitError{exitNotExecutable, fmt.Sprintf("the script cannot be executed: %v", err)}
	}
}
