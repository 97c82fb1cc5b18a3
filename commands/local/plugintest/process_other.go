//go:build !unix

package plugintest

import "os/exec"

// separations are ways to start a command.
func separations() []func(*exec.Cmd) { return []func(*exec.Cmd){func(*exec.Cmd) {}} }

func terminate(command *exec.Cmd) { _ = command.Process.Kill() }

func kill(command *exec.Cmd) { _ = command.Process.Kill() }
