//go:build !linux

package external

import "os/exec"

// run runs the plugin, and kills the processes of its group. One that it has started in another session survives.
func run(command *exec.Cmd) error {
	err := command.Run()
	killGroup(command)
	return err
}
