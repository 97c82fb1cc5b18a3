package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/owner"
)

// runPlain runs a script among the files of this machine, in a folder of its own.
func runPlain(ctx context.Context, container localrun.Container) (localrun.Result, error) {
	if err := checkPaths(container); err != nil {
		return localrun.Result{}, err
	}
	folder, _, err := owner.MakeFolder(os.TempDir())
	if err != nil {
		return localrun.Result{}, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	arguments := slices.Clone(container.Command)
	if len(arguments) > 0 && arguments[0] == contract.RunnerFile {
		arguments = arguments[1:]
	}
	if len(arguments) == 0 {
		return localrun.Result{}, errors.New("main must have a command: a process has no image with one")
	}
	for _, file := range container.Files {
		script := filepath.Join(folder, "script")
		if err := os.WriteFile(script, file.Content, 0o700); err != nil {
			return localrun.Result{}, err
		}
		for i, argument := range arguments {
			if argument == file.Path {
				arguments[i] = script
			}
		}
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
	command.Stdout, command.Stderr = container.Log, container.Log
	command.WaitDelay = gracePeriod(container.Template)
	asGroup(command)
	interrupted := noteCancel(command)
	if err := context.Cause(ctx); err != nil {
		return localrun.Result{}, err
	}
	if err := command.Start(); err != nil {
		return localrun.Result{ExitCode: 1, Message: fmt.Sprintf("main cannot be started: %v", err)}, nil
	}
	_ = command.Wait() // the state says more
	endGroup(command)
	return localrun.Result{ExitCode: exitCode(command.ProcessState), Interrupted: *interrupted}, nil
}

// noteCancel returns what says, after the end of a command, whether the end of its context has ended it.
func noteCancel(command *exec.Cmd) *bool {
	cancel, interrupted := command.Cancel, new(bool)
	command.Cancel = func() error {
		err := cancel()
		*interrupted = err == nil // otherwise it has ended by itself
		return err
	}
	return interrupted
}

// checkPaths reports everything that would have to be at a path of its own.
func checkPaths(container localrun.Container) error {
	var problems []error
	fail := func(what, path string) {
		problems = append(problems, fmt.Errorf("%s must not be at %q: this machine allows no namespaces, so a process cannot "+
			"have files at absolute paths: use --engine docker or --engine podman", what, path))
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
