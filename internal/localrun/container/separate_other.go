//go:build !unix

package container

import (
	"os"
	"os/exec"
)

// separate does nothing where there are no process groups.
func separate(*exec.Cmd) {}

// exists reports whether a process exists: os.FindProcess has found it.
func exists(*os.Process) bool { return true }
