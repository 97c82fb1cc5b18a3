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
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/owner"
)

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
	*Program

	options Options
	owner   string // see owner.New
	files   string // a folder for what several containers mount

	mutex   sync.Mutex
	images  map[string]*found[image]
	runners map[string]*found[string]
}

var _ localrun.Engine = (*Engine)(nil)

// New returns the engine of a program: one of Programs. It removes what an interrupted run has left. The error says why the
// engine cannot be used.
func New(ctx context.Context, program string, options Options) (*Engine, error) {
	known, err := Find(ctx, program, options.Environment)
	if err != nil {
		return nil, err
	}
	engine := &Engine{
		Program: known, options: options, images: map[string]*found[image]{}, runners: map[string]*found[string]{},
	}
	if engine.options.Folder == "" {
		engine.options.Folder = os.TempDir()
	}
	// After the containers that mount files of them. A folder that cannot be removed is left to the user.
	_ = owner.RemoveFolders(engine.options.Folder, func(folder string) error { return engine.removeFolder(ctx, folder) })
	engine.files, engine.owner, err = owner.MakeFolder(engine.options.Folder)
	if engine.podman { // it leaves temporary files of `podman cp`
		engine.environment = append(slices.Clone(engine.environment), "TMPDIR="+engine.files)
	}
	return engine, err
}

// Close removes the engine's containers and files, and what a killed process has left meanwhile: a daemon may do what it was
// asked for after the end of that process.
func (e *Engine) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
	defer cancel()
	err := e.removeOwned(ctx, func(mark string) bool { return mark == e.owner })
	e.removeLeftovers(ctx)
	return errors.Join(err, os.RemoveAll(e.files))
}

// progress tells that something takes long.
func (e *Engine) progress(format string, arguments ...any) {
	if e.options.Progress != nil {
		e.options.Progress(fmt.Sprintf(format, arguments...))
	}
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
