// Package localrun runs the rendered steps of a phase on this machine, with the semantics of a cluster: the same order,
// inputs, limits, generations and messages. It reads the rendered objects that would be applied, so no decision is made
// twice: Pod templates of Jobs define the containers, ConfigMaps hold scripts and params, and a folder replaces the
// cluster's Secrets with outputs.
package localrun

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"os"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Engine runs the containers of steps.
type Engine interface {
	// Name returns the name of the engine for flags and messages, such as "docker".
	Name() string
	// Unsupported returns the fields of a Pod template that the engine does not support, as paths such as spec.nodeSelector,
	// sorted.
	Unsupported(template *corev1.PodTemplateSpec) []string
	// Run runs a container until it ends. When the context ends, the container is stopped as in Kubernetes: with SIGTERM,
	// and with SIGKILL after the grace period. The error is about the engine, such as an image that cannot be pulled; a
	// failed script is a Result. If the context ends before the container starts, the error is its cause. Several goroutines
	// may call it at once.
	Run(ctx context.Context, container Container) (Result, error)
	// Close removes the remains of the engine on the machine.
	Close() error
}

// Container is a step's main container with all references resolved as by a kubelet.
type Container struct {
	// Name is unique on this machine: lower-case letters, digits and hyphens.
	Name string
	// Labels identify containers that an interrupted run has left.
	Labels map[string]string
	// Image is the image of main.
	Image string
	// Command is the program with its arguments: contract.RunnerFile and contract.ScriptFile for a step with data flow.
	Command []string
	// Env are the variables, without references; they are not expanded again. They are added to those of the image.
	Env []Variable
	// WorkingDir is the working directory; empty means the image's.
	WorkingDir string
	// Plan is the plan for the runner; nil for a step without data flow, which needs no runner.
	Plan *contract.Plan
	// Files are the mounted files, such as the script and the inputs.
	Files []File
	// Folders are the paths of empty writable folders.
	Folders []string
	// Template is the rendered Pod template, for its security context, resources and other fields.
	Template *corev1.PodTemplateSpec
	// Log receives stdout and stderr.
	Log io.Writer
	// Stdin is read by main; nil means an empty one.
	Stdin *os.File
	// Terminal means that Stdin is a terminal, and main its foreground process.
	Terminal bool
	// Keep is the folder for the remains of a container that fails: see Result.Kept. Empty means that nothing is kept.
	Keep string
}

// main returns the container of the template that runs the script, or an empty one.
func (c *Container) main() *corev1.Container {
	if c.Template != nil {
		for i := range c.Template.Spec.Containers {
			if c.Template.Spec.Containers[i].Name == contract.MainContainer {
				return &c.Template.Spec.Containers[i]
			}
		}
	}
	return &corev1.Container{}
}

// TerminationMessagePath returns the path of the file with the termination message.
func (c *Container) TerminationMessagePath() string {
	return cmp.Or(c.main().TerminationMessagePath, corev1.TerminationMessagePathDefault)
}

// GracePeriod returns the seconds between SIGTERM and SIGKILL.
func (c *Container) GracePeriod() int64 {
	if c.Template != nil && c.Template.Spec.TerminationGracePeriodSeconds != nil {
		return *c.Template.Spec.TerminationGracePeriodSeconds
	}
	return corev1.DefaultTerminationGracePeriodSeconds
}

// Variable is an environment variable.
type Variable struct{ Name, Value string }

// File is a file in the container.
type File struct {
	Path    string
	Content []byte
	Mode    fs.FileMode
}

// Result is the result of a container.
type Result struct {
	// ExitCode is the exit code of the container.
	ExitCode int
	// Message is the termination message, the reason of a failure, on one line. It may be empty.
	Message string
	// Interrupted means that the engine stopped the container because the context had ended.
	Interrupted bool
	// Remaining means that processes that main had started were still running when it ended, and were killed.
	Remaining bool
	// Unwatched means that the engine cannot find out.
	Unwatched bool
	// Kept describes where the remains of a failed container are, for users. Empty means that nothing is kept.
	Kept string
	// Outputs are the values of the plan's outputs if the exit code is 0.
	Outputs map[string][]byte
}
