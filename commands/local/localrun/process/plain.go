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

// runPlain runs a script in a new folder, on the files of this machine. Its files at absolute paths are in folders that the
// user has made there.
func runPlain(ctx context.Context, container localrun.Container) (result localrun.Result, err error) {
	claimed, err := claimFolders(ctx, container)
	if err != nil {
		return localrun.Result{}, err
	}
	defer claimed.release()
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
	if container.Plan != nil && result.ExitCode == 0 {
		result.Outputs, result.ExitCode = outputs(container, folder)
	}
	result.Message = message(folder)
	return result, nil
}

// plainArguments writes the script into the folder, and returns the command that runs it there: below the runner if the step
// has data flow, since the runner collects outputs.
func plainArguments(container localrun.Container, folder string) ([]string, error) {
	arguments := slices.Clone(container.Command)
	if len(arguments) > 0 && arguments[0] == contract.RunnerFile {
		arguments = arguments[1:]
	}
	if len(arguments) == 0 {
		return nil, errNoCommand
	}
	for _, file := range container.Files {
		if file.Path != contract.ScriptFile {
			continue
		}
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
	if container.Plan == nil {
		return arguments, nil
	}
	self, err := os.Executable()
	if err == nil {
		err = errors.Join(prepareVolume(volumeFolder(folder), *container.Plan), os.WriteFile(messageFile(folder), nil, 0o600))
	}
	return append([]string{self, plainArgument, folder}, arguments...), err
}

// filesOf returns the files of a container without its script, which may be anywhere.
func filesOf(container localrun.Container) []localrun.File {
	return slices.DeleteFunc(slices.Clone(container.Files), func(f localrun.File) bool { return f.Path == contract.ScriptFile })
}
