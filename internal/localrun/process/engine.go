// Package process runs the steps of localrun directly on this machine, without containers. The scripts are those of a
// plugin's author and get the rights of the user.
//
// On Linux, where the kernel allows it, each step has a mount and a process namespace of its own, as a container has: it
// sees the files of this machine, but what it writes is gone when it ends, and its outputs, inputs and folders are at their
// absolute paths. Elsewhere nothing can be at such a path, so only steps that need none can be run.
//
// The engine starts its own program again, so that programs that use it call Enter first:
//
//	func main() {
//		process.Enter()
//		engine, err := process.New(process.Options{})
//		…
//	}
package process

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/owner"
)

// Name is the name of the engine.
const Name = "process"

// RunnerArgument makes this program, if it calls Enter, the runner of a step in a container.
const RunnerArgument = "__runner"

// entered is set once Enter has returned: a program that does not call it would start itself over and over.
var entered atomic.Bool

// Options say how processes are run.
type Options struct {
	// WithoutNamespaces runs the scripts among the files of this machine, as where namespaces are not allowed.
	WithoutNamespaces bool
}

// Engine runs scripts as processes; it implements localrun.Engine.
type Engine struct {
	isIsolated bool
	// reason says why there are no namespaces.
	reason error
}

var _ localrun.Engine = (*Engine)(nil)

// New returns an engine. It is an error where processes cannot be run at all.
func New(options Options) (*Engine, error) {
	if !entered.Load() {
		return nil, errors.New("the program must call process.Enter first")
	}
	e := &Engine{}
	if options.WithoutNamespaces {
		e.reason = errors.New("it was asked for none")
	} else {
		e.reason = probe()
	}
	if e.isIsolated = e.reason == nil; !e.isIsolated { // what cannot be removed is left to the user
		_ = owner.RemoveFolders(os.TempDir(), os.RemoveAll)
	}
	return e, supported()
}

// IsIsolated reports whether each step has namespaces of its own, and why not.
func (e *Engine) IsIsolated() (bool, error) { return e.isIsolated, e.reason }

// Name implements localrun.Engine.
func (*Engine) Name() string { return Name }

// Unsupported implements localrun.Engine: processes have no limits of their own, and the user's rights.
func (*Engine) Unsupported(template *corev1.PodTemplateSpec) []string {
	return localrun.Unsupported(template, []string{"spec.imagePullSecrets", localrun.MainPath + ".imagePullPolicy"}) // no image
}

// Close implements localrun.Engine. Nothing is left: the kernel removes namespaces with their last process.
func (*Engine) Close() error { return nil }

// Run implements localrun.Engine.
func (e *Engine) Run(ctx context.Context, container localrun.Container) (localrun.Result, error) {
	container.Env = environment(container.Env)
	if e.isIsolated {
		return runIsolated(ctx, container)
	}
	return runPlain(ctx, container)
}

// home is the home folder of scripts: theirs alone, and empty.
const home = "/var/run/resourceplugins/home"

// environment returns the variables of a script: those of the container, the machine's PATH, so that its programs are found,
// and a HOME of its own. Nothing else of the user's environment is seen.
func environment(given []localrun.Variable) []localrun.Variable {
	env := []localrun.Variable{{Name: "PATH", Value: os.Getenv("PATH")}, {Name: "HOME", Value: home}}
	return append(slices.DeleteFunc(env, func(v localrun.Variable) bool {
		return slices.ContainsFunc(given, func(g localrun.Variable) bool { return g.Name == v.Name })
	}), given...)
}

// gracePeriod is the time between SIGTERM and SIGKILL. It is never 0, which exec.Cmd takes for no limit.
func gracePeriod(template *corev1.PodTemplateSpec) time.Duration {
	if template != nil && template.Spec.TerminationGracePeriodSeconds != nil {
		return max(1, time.Duration(*template.Spec.TerminationGracePeriodSeconds)*time.Second)
	}
	return corev1.DefaultTerminationGracePeriodSeconds * time.Second
}

// messageFile is where the termination message of a container is.
func messageFile(template *corev1.PodTemplateSpec) string {
	if template != nil {
		for _, container := range template.Spec.Containers {
			if path := container.TerminationMessagePath; container.Name == "main" && strings.HasPrefix(path, "/") {
				return path
			}
		}
	}
	return corev1.TerminationMessagePathDefault
}
