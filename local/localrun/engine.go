// Package localrun runs the rendered steps of a phase on this machine, with the semantics of the cluster: the same order,
// inputs, limits, generations and messages. It reads rendered objects, the ones that would be applied, so that nothing is
// decided twice: a Job's Pod template says what runs, ConfigMaps hold scripts and params, and Secrets with the outputs are
// kept in a folder in place of the cluster.
package localrun

import (
	"cmp"
	"context"
	"io"
	"io/fs"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Engine runs the containers of steps.
type Engine interface {
	// Name is the name of the engine for flags and messages, such as "docker".
	Name() string
	// Unsupported returns the fields of a Pod template that the engine does not honour, as paths such as
	// spec.nodeSelector, sorted.
	Unsupported(template *corev1.PodTemplateSpec) []string
	// Run runs a container until it ends. When the context ends, the container is ended as Kubernetes ends it: SIGTERM, and
	// SIGKILL after the grace period. The error is about the engine, such as an image that cannot be pulled; a script that
	// fails is a Result. If the
	// context ends before the container starts, the error is its cause. Several goroutines may call it at once.
	Run(ctx context.Context, container Container) (Result, error)
	// Close removes what the engine has left on the machine.
	Close() error
}

// Container is a step's main container with everything that a kubelet would have resolved.
type Container struct {
	// Name is unique on this machine: lower-case letters, digits and hyphens.
	Name string
	// Labels are for finding containers that an interrupted run has left.
	Labels map[string]string
	// Image is the image of main.
	Image string
	// Command is the program and its arguments: of a step with data flow contract.RunnerFile and contract.ScriptFile.
	Command []string
	// Env are the variables, without references; nothing in them is expanded any more. Those of the image come first.
	Env []Variable
	// WorkingDir is the working directory; empty means the image's.
	WorkingDir string
	// Plan is what the runner must know; nil for a step without data flow, which runs without the runner.
	Plan *contract.Plan
	// Files are what is mounted, such as the script and the inputs.
	Files []File
	// Folders are the paths of empty writable folders.
	Folders []string
	// Template is the rendered Pod template, for its security context, resources and other fields.
	Template *corev1.PodTemplateSpec
	// Log receives stdout and stderr.
	Log io.Writer
}

// main returns the container of the template that runs the script; an empty one if there is none.
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

// TerminationMessagePath returns the path of the termination message.
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

// Result is how a container ended.
type Result struct {
	// ExitCode is that of the container.
	ExitCode int
	// Message is the termination message: why it failed, on one line. It is empty if it has none.
	Message string
	// Interrupted is set if the engine ended the container, since the context had ended.
	Interrupted bool
	// Outputs are the values of the plan's outputs, if the exit code is 0.
	Outputs map[string][]byte
}
