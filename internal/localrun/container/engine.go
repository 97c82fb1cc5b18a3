// Package container runs the containers of steps with docker or podman. New finds the program; an Engine's Run creates a
// container, starts it, waits for its end, reads what it has left, and removes it.
//
// It calls the program, not a client library. The program knows the user's contexts, sockets, credentials and virtual
// machines; podman needs no service then; and a library for docker alone would add some eighty modules to rplug. What it
// costs is a process for each of create, start, inspect and rm.
//
// A container is made as a kubelet makes it. Each file is a mount of its own and read-only, so that the image's other files
// in the folder stay and a root file system that is read-only does not matter. Folders of an emptyDir are tmpfs. The
// termination message is a file that is mounted. The volume that the runner needs is an anonymous one, which goes with the
// container; the outputs are read from it as a tar, and nothing that a script leaves there is opened on this machine.
//
// Values of variables are in no command line, which every user of the machine can read: see variables.
package container

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/localrun"
)

// Programs are the programs that New knows, in the order in which rplug looks for one.
func Programs() []string { return []string{"docker", "podman"} }

// Options are what an engine must know of this machine and of its caller.
type Options struct {
	// Environment is that of the program, as os.Environ returns it: it says which daemon is used.
	Environment []string
	// Folder is where the files are that containers mount while they run. The daemon must see it under the same path, also
	// from a virtual machine. Empty means the folder for temporary files.
	Folder string
	// Runner is the program that becomes contract.RunnerFile, such as rplug itself. If it does not run in an image, since it is
	// linked dynamically or is one for another system, that of HelperImage is used.
	Runner Runner
	// HelperImage is the image with contract.ImageRunner.
	HelperImage string
	// Network is the network of the containers, as the flag --network has it. Empty means the default one.
	Network string
	// Progress receives a line before something that can take long, such as pulling an image. It may be nil.
	Progress func(line string)
}

// Engine runs containers with one of Programs.
type Engine struct {
	name, path string
	podman     bool
	options    Options
	owner      string
	files      string // a folder for what several containers mount

	mutex   sync.Mutex
	images  map[string]*found[image]
	runners map[string]*found[string]
}

var _ localrun.Engine = (*Engine)(nil)

// New returns the engine of a program: one of Programs. It removes containers that an interrupted run has left. The error
// says why the engine cannot be used.
func New(ctx context.Context, program string, options Options) (*Engine, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, fmt.Errorf("%s is not installed: %w", program, err)
	}
	engine := &Engine{
		name: program, path: path, options: options, owner: newOwner(),
		images: map[string]*found[image]{}, runners: map[string]*found[string]{},
	}
	version, err := engine.output(ctx, "--version")
	if err != nil {
		return nil, err
	}
	engine.podman = strings.Contains(version, "podman")
	if _, err := engine.output(ctx, "info", "--format", "{{.}}"); err != nil {
		return nil, fmt.Errorf("%s does not work, start its daemon or its machine: %w", program, err)
	}
	if engine.options.Folder == "" {
		engine.options.Folder = os.TempDir()
	}
	if err := engine.removeLeftovers(ctx); err != nil {
		return nil, err
	}
	if engine.files, err = os.MkdirTemp(engine.options.Folder, filesPrefix); err != nil {
		return nil, err
	}
	return engine, os.WriteFile(filepath.Join(engine.files, ownerFile), []byte(engine.owner), 0o600)
}

// Name is the name of the program.
func (e *Engine) Name() string { return e.name }

// removeTimeout is how long the program may take to remove containers after the end of a context.
const removeTimeout = time.Minute

// Close removes the engine's containers and files.
func (e *Engine) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
	defer cancel()
	ids, err := e.labelled(ctx, "="+e.owner)
	return errors.Join(err, e.remove(ctx, ids...), os.RemoveAll(e.files))
}

// progress tells that something takes long.
func (e *Engine) progress(format string, arguments ...any) {
	if e.options.Progress != nil {
		e.options.Progress(fmt.Sprintf(format, arguments...))
	}
}

// command returns a call of the program. It is in a process group of its own, so that the Ctrl-C of a terminal reaches
// rplug alone, which then stops the container.
func (e *Engine) command(ctx context.Context, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, e.path, arguments...)
	command.Env = slices.Clone(e.options.Environment)
	separate(command)
	return command
}

// output runs the program and returns its output without the line break at its end.
func (e *Engine) output(ctx context.Context, arguments ...string) (string, error) {
	return e.finish(e.command(ctx, arguments...))
}

// finish runs a command and returns its output. The error has the last line that the program wrote to stderr.
func (e *Engine) finish(command *exec.Cmd) (string, error) {
	var stdout, stderr strings.Builder
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return "", e.failed(command, &stderr, err)
	}
	return strings.TrimSuffix(stdout.String(), "\n"), nil
}

// failed returns the error of a command that failed, such as "docker create: no such image". It has no arguments but the
// subcommand.
func (e *Engine) failed(command *exec.Cmd, stderr fmt.Stringer, err error) error {
	if line := lastLine(stderr.String()); line != "" {
		err = errors.New(line)
	}
	return fmt.Errorf("%s %s: %w", e.name, command.Args[1], err)
}

// lastLine returns the last line of a text that says something.
func lastLine(text string) string {
	line := ""
	for one := range strings.Lines(text) {
		if one = strings.TrimSpace(one); one != "" && !strings.HasPrefix(one, "Run '") { // docker ends with: see --help
			line = one
		}
	}
	for _, prefix := range []string{"Error response from daemon: ", "Error: ", "docker: "} {
		line = strings.TrimPrefix(line, prefix)
	}
	return line
}

// remove removes containers, running or not, and their anonymous volumes. That one does not exist is no error.
func (e *Engine) remove(ctx context.Context, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := e.output(ctx, append([]string{"rm", "--force", "--volumes"}, ids...)...)
	if err != nil && strings.Contains(strings.ToLower(err.Error()), "no such container") {
		return nil
	}
	return err
}

// main returns the container of a Pod template that runs the script; an empty one if there is none.
func main(template *corev1.PodTemplateSpec) *corev1.Container {
	if template != nil {
		for i := range template.Spec.Containers {
			if template.Spec.Containers[i].Name == contract.MainContainer {
				return &template.Spec.Containers[i]
			}
		}
	}
	return &corev1.Container{}
}

// found is a result that several goroutines wait for.
type found[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// once returns the result for a key, which is found only once. What ended with a context is tried again.
func once[T any](
	ctx context.Context, mutex *sync.Mutex, results map[string]*found[T], key string, find func() (T, error),
) (T, error) {
	mutex.Lock()
	result, known := results[key]
	if !known {
		result = &found[T]{done: make(chan struct{})}
		results[key] = result
	}
	mutex.Unlock()
	if known {
		<-result.done
		return result.value, result.err
	}
	result.value, result.err = find()
	if ctx.Err() != nil {
		mutex.Lock()
		delete(results, key)
		mutex.Unlock()
	}
	close(result.done)
	return result.value, result.err
}

// logOf returns a container's log, which need not have one.
func logOf(log io.Writer) io.Writer {
	if log == nil {
		return io.Discard
	}
	return log
}
