//go:build !unix

package container

import "os/exec"

// separate does nothing: there are no process groups.
func separate(*exec.Cmd) {}
