package container

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
)

// makeFolder creates the folder of the files that a container mounts.
func (e *Engine) makeFolder(container localrun.Container) (string, error) {
	if container.Keep == "" {
		return os.MkdirTemp(e.files, "step-")
	}
	folder, err := filepath.Abs(container.Keep)
	if err != nil {
		return "", err
	}
	return folder, os.MkdirAll(folder, 0o700)
}

// copyRunner copies the runner next to the other files of a kept container, which cannot be started without it.
func copyRunner(runner, folder string) (string, error) {
	program, err := os.ReadFile(runner)
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "runner")
	return file, errors.Join(os.WriteFile(file, program, 0o600), os.Chmod(file, 0o755))
}

// kept returns Result.Kept.
func (e *Engine) kept(container localrun.Container) string {
	return fmt.Sprintf("container %s and folder %s: see `%s diff %[1]s`, copy files with `%[3]s cp %[1]s:/tmp .`, and "+
		"remove both in the end: `%[3]s rm --volumes %[1]s`", container.Name, container.Keep, e.name)
}

// interactive returns the flags of `create` for a container that reads stdin.
func interactive(container localrun.Container) []string {
	switch {
	case container.Stdin == nil:
		return nil
	case container.Terminal:
		return []string{"--interactive", "--tty"}
	}
	return []string{"--interactive"}
}

// attach returns the command that starts a container with its streams. With a terminal the program stays in the process
// group of rplug, since only that one may read from the terminal.
func (e *Engine) attach(ctx context.Context, id string, container localrun.Container, log io.Writer) *exec.Cmd {
	arguments := []string{"start", "--attach"}
	if container.Stdin != nil {
		arguments = append(arguments, "--interactive")
	}
	command := e.command(ctx, append(arguments, id)...)
	if container.Stdin != nil {
		command.Stdin = container.Stdin
	}
	if container.Terminal {
		command.SysProcAttr = nil
		command.Stdout, command.Stderr = container.Log, container.Log // a file, so that the program sees the terminal
		return command
	}
	out := io.MultiWriter(logOf(container.Log), log)
	command.Stdout, command.Stderr = out, out
	return command
}
