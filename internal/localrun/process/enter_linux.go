package process

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/podreport"
	"github.com/resource-plugins/krm-functions/internal/runner"
	"github.com/resource-plugins/krm-functions/internal/sharedvolume"
)

// argument is what this program is started with inside the namespaces of a step.
const argument = "__run-step"

// The files of the process inside: what it has to do, and its response.
const (
	requestFile  = 3
	responseFile = 4
)

// Enter runs a step if this process was started for that, and does not return then. With RunnerArgument and a script it is
// the runner of a container.
func Enter() {
	if len(os.Args) > 1 && os.Args[1] == RunnerArgument {
		reporter := podreport.Reporter{Stderr: os.Stderr, TerminationLog: podreport.TerminationLog}
		os.Exit(runner.Runner{
			Folder: contract.IOFolder, Cgroup: runner.CgroupFolder, Reporter: reporter, Command: os.Args[2:],
		}.Run())
	}
	if len(os.Args) != 2 || os.Args[1] != argument || os.Getpid() != 1 {
		entered.Store(true)
		return
	}
	syscall.CloseOnExec(requestFile) // scripts do not get them
	syscall.CloseOnExec(responseFile)
	control, answer := os.NewFile(requestFile, "request"), os.NewFile(responseFile, "response")
	var wanted request
	if err := json.NewDecoder(control).Decode(&wanted); err != nil {
		os.Exit(1)
	}
	go func() { // the pipe ends with the process that has started this one
		_, _ = io.Copy(io.Discard, control)
		os.Exit(128 + int(syscall.SIGKILL))
	}()
	result, err := wanted.run()
	response := response{Result: result}
	if err != nil {
		response.Problem = err.Error()
	}
	_ = json.NewEncoder(answer).Encode(response)
	os.Exit(result.ExitCode)
}

// run makes the files of the container and runs its command.
func (r *request) run() (localrun.Result, error) {
	if err := r.enter(); err != nil {
		return localrun.Result{}, err
	}
	os.Clearenv()
	for _, variable := range r.Env {
		if err := os.Setenv(variable.Name, variable.Value); err != nil {
			return localrun.Result{}, fmt.Errorf("variable %q: %w", variable.Name, err)
		}
	}
	if r.Plan != nil {
		return r.runPlan()
	}
	return r.runPlain()
}

// runPlan runs the script of a step with data flow, as the runner and the output manager of a Pod do.
func (r *request) runPlan() (localrun.Result, error) {
	volume, err := sharedvolume.Open(contract.IOFolder)
	if err == nil {
		err = volume.Prepare(*r.Plan)
	}
	if err != nil {
		return localrun.Result{}, err
	}
	if len(r.Command) == 0 || r.Command[0] != contract.RunnerFile {
		return localrun.Result{}, fmt.Errorf("the command of main must begin with %s", contract.RunnerFile)
	}
	reporter := podreport.Reporter{Stderr: os.Stderr, TerminationLog: r.MessageFile}
	result := localrun.Result{
		ExitCode: runner.Runner{Folder: contract.IOFolder, Reporter: reporter, Command: r.Command[1:]}.Run(),
	}
	if result.ExitCode == 0 {
		if result.Outputs, err = volume.Outputs(r.Plan.Outputs); err != nil {
			result.ExitCode = 1
			reporter.Fail(fmt.Sprintf("step %q: %v", r.Plan.Step, err))
		}
	}
	result.Message = r.message()
	return result, nil
}

// runPlain runs the command of a step without data flow.
func (r *request) runPlain() (localrun.Result, error) {
	if len(r.Command) == 0 {
		return localrun.Result{}, errors.New("main must have a command: a process has no image with one")
	}
	incoming := make(chan os.Signal, 16)
	signal.Notify(incoming, syscall.SIGTERM, syscall.SIGINT)
	command := exec.Command(r.Command[0], r.Command[1:]...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Start(); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return localrun.Result{ExitCode: exitNoCommand, Message: fmt.Sprintf("main cannot be started: %v", err)}, nil
	}
	go func() {
		for s := range incoming {
			_ = command.Process.Signal(s)
		}
	}()
	_ = command.Wait() // the state says more
	result := localrun.Result{ExitCode: command.ProcessState.ExitCode()}
	if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		result.ExitCode = 128 + int(status.Signal())
	}
	result.Message = r.message()
	return result, nil
}

// exitNoCommand is the exit code of a container whose command cannot be started (StartError of containerd).
const exitNoCommand = 128

// maxMessage is how much Kubernetes keeps of a termination message, from its end.
const maxMessage = 4096

// message returns the termination message.
func (r *request) message() string {
	content, err := os.ReadFile(r.MessageFile)
	if err != nil {
		return ""
	}
	content = content[max(0, len(content)-maxMessage):]
	return strings.ToValidUTF8(string(bytes.TrimSpace(content)), "\uFFFD")
}

// enter changes to a root folder of its own, with everything that the container mounts.
func (r *request) enter() error {
	paths := []string{contract.IOFolder, home, r.MessageFile}
	for _, file := range r.Files {
		paths = append(paths, file.Path)
	}
	paths = append(paths, r.Folders...)
	if r.Plan != nil {
		for _, output := range r.Plan.Outputs {
			paths = append(paths, output.Path)
		}
	}
	if err := enterRoot(paths); err != nil {
		return fmt.Errorf("cannot make a root folder for the step: %w", err)
	}
	folders := append([]string{contract.IOFolder, home}, r.Folders...)
	for _, folder := range folders {
		if err := mountEmpty(folder); err != nil {
			return fmt.Errorf("cannot make the folder %q: %w", folder, err)
		}
	}
	if err := writeFile(r.MessageFile, nil, 0o666); err != nil {
		return fmt.Errorf("cannot make the file %q: %w", r.MessageFile, err)
	}
	for _, file := range r.Files {
		if err := mountFile(file); err != nil {
			return fmt.Errorf("cannot make the file %q: %w", file.Path, err)
		}
	}
	working := r.WorkingDir
	if working == "" {
		working = "/"
	}
	if err := os.MkdirAll(working, 0o755); err != nil {
		return err
	}
	return os.Chdir(working)
}

func writeFile(path string, content []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, content, mode); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}
