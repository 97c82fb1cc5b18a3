// Package container runs the containers of steps with docker or podman. New finds the program; an Engine's Run creates a
// container, starts it, waits for its end, reads its outputs, and removes it.
//
// It calls the program instead of using a client library. The program knows the user's contexts, sockets, credentials and
// virtual machines, and podman then needs no service; a library only for docker would add some eighty modules to rplug. The
// price is a process for each create, start, inspect and rm.
//
// A container is created as a kubelet does. Each file is a separate, read-only mount, so that the image's other files in the
// folder stay visible and the root file system may be read-only. Folders of an emptyDir are tmpfs. The termination message
// is a mounted file. The runner's volume is anonymous, so it is removed with the container. Outputs are read from it as a
// tar, and no file that a script leaves there is opened on this machine.
//
// Values of variables are in no command line, since every user of the machine can read those: see variables.
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

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Options configure an Engine.
type Options struct {
	// Environment is the environment of the program, as os.Environ returns it: it selects the daemon.
	Environment []string
	// Folder is for the files that containers mount while they run. The daemon, or a virtual machine, must see it under the
	// same path. Empty means the folder for temporary files.
	Folder string
	// Runner is the program that becomes contract.RunnerFile, such as rplug itself. If it does not run in an image, because
	// it is linked dynamically or built for another system, the runner of HelperImage is used.
	Runner Runner
	// HelperImage is the image with contract.ImageRunner.
	HelperImage string
	// Network is the network of the containers, as for the flag --network. Empty means the default.
	Network string
	// Images are the images that engines share, so that each is looked up and pulled once; nil means those of this engine.
	Images *Images
	// Progress receives a line before an operation that may take long, such as pulling an image. It may be nil.
	Progress func(line string)
}

// Engine runs containers with one of Programs.
type Engine struct {
	*Program

	options Options
	owner   string // see localrun.NewMark
	files   string // folder of files that several containers mount

	mutex   sync.Mutex
	runners map[string]*found[string]
}

// Images are the images that one or more engines of one program have found.
type Images struct {
	mutex sync.Mutex
	found map[string]*found[image]
}

// NewImages returns an empty set of images.
func NewImages() *Images { return &Images{found: map[string]*found[image]{}} }

var _ localrun.Engine = (*Engine)(nil)

// New returns the engine of a program, one of Programs, and removes the remains of interrupted runs. The error explains why
// the engine cannot be used.
func New(ctx context.Context, program string, options Options) (*Engine, error) {
	known, err := Find(ctx, program, options.Environment)
	if err != nil {
		return nil, err
	}
	engine := &Engine{
		Program: known, options: options, runners: map[string]*found[string]{},
	}
	if engine.options.Images == nil {
		engine.options.Images = NewImages()
	}
	if engine.options.Folder == "" {
		engine.options.Folder = os.TempDir()
	}
	// Folders are removed after the containers that mount them. A folder that cannot be removed is left to the user.
	_ = localrun.RemoveFolders(engine.options.Folder, func(folder string) error { return engine.removeFolder(ctx, folder) })
	engine.files, engine.owner, err = localrun.MakeFolder(engine.options.Folder)
	if engine.podman { // `podman cp` leaves temporary files
		engine.environment = append(slices.Clone(engine.environment), "TMPDIR="+engine.files)
	}
	return engine, err
}

// Close removes the engine's containers and files, and the remains of killed processes: a daemon may complete a request
// after the process that sent it has ended.
func (e *Engine) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
	defer cancel()
	err := e.removeOwned(ctx, func(mark string) bool { return mark == e.owner })
	e.removeLeftovers(ctx)
	return errors.Join(err, os.RemoveAll(e.files))
}

// progress reports an operation that may take long.
func (e *Engine) progress(format string, arguments ...any) {
	if e.options.Progress != nil {
		e.options.Progress(fmt.Sprintf(format, arguments...))
	}
}

// main returns the container of a Pod template that runs the script, or an empty one.
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

// found is a result that several goroutines may wait for.
type found[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// once returns the result for a key, which is computed only once. If a context ends, the next call tries again.
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

// logOf returns the log of a container, which may be nil.
func logOf(log io.Writer) io.Writer {
	if log == nil {
		return io.Discard
	}
	return log
}
