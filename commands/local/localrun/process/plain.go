package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// runPlain runs a script in a new folder, on the files of this machine.
func runPlain(ctx context.Context, container localrun.Container) (result localrun.Result, err error) {
	if err := checkPaths(container); err != nil {
		return localrun.Result{}, err
	}
	folder, err := makeFolder(container)
	if err != nil {
		return localrun.Result{}, err
	}
	defer func() { result.Kept = keepOrRemove(container, folder, result.ExitCode != 0 && !result.Interrupted) }()
	arguments, err := plainArguments(container, folder)
	if err != nil {
		return localrun.Result{}, err
	}
	command := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	command.Dir = folder
	command.Env = []string{}
	for _, variable := range container.Env {
		if variable.Name == "HOME" && variable.Value == home {
			variable.Value = folder
		}
		command.Env = append(command.Env, variable.Name+"="+variable.Value)
	}
	setGroup(command, container.Terminal)
	if err := context.Cause(ctx); err != nil {
		return localrun.Result{}, err
	}
	result, err = start(command, container, func() {})
	if err != nil {
		return localrun.Result{ExitCode: 1, Message: fmt.Sprintf("main cannot be started: %v", err)}, nil
	}
	result.Remaining = !container.Terminal && !result.Interrupted && awaitOthers(command.Process.Pid, folder)
	endGroup(command)
	return result, nil
}

// plainArguments writes the script into the folder, and returns the command that runs it there, without the runner.
func plainArguments(container localrun.Container, folder string) ([]string, error) {
	arguments := slices.Clone(container.Command)
	if len(arguments) > 0 && arguments[0] == contract.RunnerFile {
		arguments = arguments[1:]
	}
	if len(arguments) == 0 {
		return nil, errNoCommand
	}
	for _, file := range container.Files {
		script := filepath.Join(folder, "script")
		if err := os.WriteFile(script, file.Content, 0o700); err != nil {
			return nil, err
		}
		for i, argument := range arguments {
			if argument == file.Path {
				arguments[i] = script
			}
		}
	}
	return arguments, nil
}

// checkPaths reports all files and folders that would need to be at an absolute path.
func checkPaths(container localrun.Container) error {
	var problems []error
	fail := func(what, path string) {
		problems = append(problems, fmt.Errorf("%s must not be at %q: without bubblewrap, a process cannot have files at "+
			"absolute paths: install bubblewrap, or use --engine docker or --engine podman", what, path))
	}
	for _, file := range container.Files {
		if file.Path != contract.ScriptFile {
			fail("an input", file.Path)
		}
	}
	for _, folder := range container.Folders {
		fail("a volume", folder)
	}
	if container.Plan != nil {
		for _, output := range container.Plan.Outputs {
			fail(fmt.Sprintf("output %q", output.Name), output.Path)
		}
	}
	return errors.Join(problems...)
}
