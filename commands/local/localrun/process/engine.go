// Package process runs the steps of localrun directly on this machine, without containers. Scripts of plugin authors run
// with the rights of the user.
//
// If bubblewrap is installed and the machine allows namespaces, each step has a mount and a process namespace, like a
// container: it can read but not change the files of this machine, and its outputs, inputs and folders are at their absolute
// paths. Otherwise these paths must be in folders that the user has made for that, such as /outputs.
//
// The engine starts its program again in the namespaces, so programs that use it must call Main first:
//
//	func main() {
//		if code, isStep := process.Main(os.Args[1:]); isStep {
//			os.Exit(code)
//		}
//		engine, err := process.New(process.Options{})
//		…
//	}
package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
)

// Name is the name of the engine.
const Name = "process"

// RunnerArgument makes a program that calls Main the runner of a step in a container.
const RunnerArgument = "__runner"

// plainArgument makes it the runner of a step without bubblewrap, with the folder of the step.
const plainArgument = "__plain"

// stepArgument makes it the first process of a step in bubblewrap. It inherits the files argumentsFile, which bubblewrap
// reads, controlFile, and startedFile.
const (
	stepArgument  = "__step"
	argumentsFile = 3
	controlFile   = 4
	startedFile   = 5
)

// Options are the options of New.
type Options struct {
	// WithoutNamespaces runs scripts directly on the files of this machine, as if bubblewrap were not installed.
	WithoutNamespaces bool
}

// Engine runs scripts as processes; it implements localrun.Engine.
type Engine struct {
	bubblewrap string // path of the program
	reason     error  // why bubblewrap is not used
}

var _ localrun.Engine = (*Engine)(nil)

// New returns an engine. It fails if steps cannot run at all.
func New(options Options) (*Engine, error) {
	_ = localrun.RemoveFolders(os.TempDir(), os.RemoveAll) // on errors, folders are left to the user
	e := &Engine{reason: errors.New("it was not asked for")}
	if !options.WithoutNamespaces {
		e.bubblewrap, e.reason = probe()
	}
	return e, supported()
}

// IsIsolated reports whether each step has its own namespaces, or else the reason.
func (e *Engine) IsIsolated() (bool, error) { return e.reason == nil, e.reason }

// Name implements localrun.Engine.
func (*Engine) Name() string { return Name }

// Unsupported implements localrun.Engine. Processes have no resource limits, and the user's rights.
func (*Engine) Unsupported(template *corev1.PodTemplateSpec) []string {
	return localrun.Unsupported(template, []string{"spec.imagePullSecrets", localrun.MainPath + ".imagePullPolicy"}) // no image
}

// Close implements localrun.Engine. The kernel removes namespaces with their last process.
func (*Engine) Close() error { return nil }

// Run implements localrun.Engine.
func (e *Engine) Run(ctx context.Context, container localrun.Container) (localrun.Result, error) {
	container.Env = environment(container.Env)
	if e.reason == nil {
		return runIsolated(ctx, e.bubblewrap, container)
	}
	return runPlain(ctx, container)
}

// home is the home folder of scripts, which is empty.
const home = "/var/run/resourceplugins/home"

// environment returns the variables of a script: those of the container, the machine's PATH, so that programs are found, and
// HOME. Other variables of the user are not passed on.
func environment(given []localrun.Variable) []localrun.Variable {
	env := []localrun.Variable{{Name: "PATH", Value: os.Getenv("PATH")}, {Name: "HOME", Value: home}}
	return append(slices.DeleteFunc(env, func(v localrun.Variable) bool {
		return slices.ContainsFunc(given, func(g localrun.Variable) bool { return g.Name == v.Name })
	}), given...)
}

// start runs a command of a container until it ends. started is called once it has started.
func start(command *exec.Cmd, container localrun.Container, started func()) (localrun.Result, error) {
	command.Stdout, command.Stderr = container.Log, container.Log
	if container.Stdin != nil {
		command.Stdin = container.Stdin
	}
	command.WaitDelay = max(1, time.Duration(container.GracePeriod())*time.Second) // 0 would mean no limit
	cancel, interrupted := command.Cancel, false
	command.Cancel = func() error {
		err := cancel()
		interrupted = err == nil // otherwise it had ended already
		return err
	}
	if err := command.Start(); err != nil {
		return localrun.Result{}, err
	}
	started()
	_ = command.Wait() // ProcessState has the result
	if container.Terminal {
		regainTerminal(container.Stdin)
	}
	return localrun.Result{ExitCode: exitCode(command.ProcessState), Interrupted: interrupted}, nil
}
