// Package host runs chains of kubebuilder's external plugins as kubebuilder does, but commits either all of their changes or
// none. Its main type is Host:
//
//	host := host.Host{Root: root}
//	run, err := host.Run(ctx, host.Call{Project: ".", Command: "init", Plugins: []string{"sample/v1"}})
//	defer run.End()
//	… run.Changes …
//	err = run.Commit()
//
// Plugins see the project with the changes of the plugins before them, but only text files that git does not ignore. Files
// that are returned unchanged are not written, and no path leads out of the project. Plugins that are built into
// kubebuilder, such as go/v4, are run by the installed kubebuilder, on a copy.
package host

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/transaction"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// Host has the options for finding and running plugins.
type Host struct {
	// Root is the discovery folder: see external.Root.
	Root string
	// Kubebuilder is the program that runs built-in plugins; empty if it is not installed.
	Kubebuilder string
	// Environment is the environment of Kubebuilder.
	Environment []string
	// Stderr receives the stderr of plugins; nil discards it.
	Stderr io.Writer
	// Limits are the limits of each call.
	Limits external.Limits
	// Progress is called with the keys of plugins before they run; it may be nil.
	Progress func(keys string)
	// Unseen is called before the first plugin runs with the paths that plugins do not see though they are neither ignored
	// by git nor binary files, each with the reason; it may be nil.
	Unseen func(paths []string)
}

func (h Host) progress(keys string) {
	if h.Progress != nil {
		h.Progress(keys)
	}
}

func (h Host) unseen(all []leftOut) {
	if h.Unseen == nil || len(all) == 0 {
		return
	}
	paths := make([]string, len(all))
	for i, one := range all {
		paths[i] = fmt.Sprintf("%s (%s)", one.path, one.reason)
	}
	h.Unseen(paths)
}

// CallError is an error of the call itself, such as an unknown plugin: no plugin has run a command.
type CallError struct{ error }

// Unwrap returns the error.
func (e CallError) Unwrap() error { return e.error }

// Call is a command to run with a chain of plugins.
type Call struct {
	// Project is the folder of the project.
	Project string
	// Command is one of Commands.
	Command string
	// Plugins are the keys of the chain: NAME/VERSION, or shorter if they are clear, as with kubebuilder. The default is the
	// layout in the PROJECT file.
	Plugins []string
	// Args are the arguments for the plugins.
	Args []string
	// DryRun means that the changes are not committed: nothing is written, and an interrupted run is an error.
	DryRun bool
}

// Commands are the commands that a chain can run.
var Commands = []string{
	v1alpha1.CommandInit, v1alpha1.CommandCreateAPI, v1alpha1.CommandCreateWebhook, v1alpha1.CommandEdit,
	v1alpha1.CommandDelete,
}

// Run is a completed chain whose changes are not written yet.
type Run struct {
	// Changes are the changes of the plugins, sorted by path.
	Changes []atomicfile.Change
	// Lost describes content that plugins may have lost from files that they have rewritten, a sentence each.
	Lost []string
	// Written are the files that plugins have written themselves instead of returning them, a sentence each.
	Written []string
	// Recovered means that an interrupted run has been completed or undone.
	Recovered bool

	transaction *transaction.Transaction
}

// Run runs the chain. The folder of the project stays locked until End, which must be called unless there is an error.
func (h Host) Run(ctx context.Context, call Call) (*Run, error) {
	if !slices.Contains(Commands, call.Command) {
		return nil, CallError{fmt.Errorf("the command must be one of %s, not %q", strings.Join(Commands, ", "), call.Command)}
	}
	if info, err := os.Stat(call.Project); err != nil || !info.IsDir() {
		return nil, CallError{fmt.Errorf("the project %q must be a folder", call.Project)}
	}
	changes, err := transaction.Begin(ctx, call.Project, transaction.Options{DryRun: call.DryRun})
	if err != nil {
		return nil, err
	}
	run, err := h.run(ctx, call, changes)
	if err != nil {
		changes.End()
		return nil, err
	}
	return run, nil
}

func (h Host) run(ctx context.Context, call Call, changes *transaction.Transaction) (*Run, error) {
	c, err := h.open(call)
	if err != nil {
		return nil, err
	}
	defer c.close()
	h.unseen(c.project.leftOut)
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	run := &Run{Lost: c.lost, Written: c.written, Recovered: changes.Recovered, transaction: changes}
	if run.Changes, err = c.project.changes(); err != nil {
		return nil, err
	}
	for _, change := range run.Changes {
		changes.Replace(change.Path, change.Before, change.After)
	}
	return run, changes.Check()
}

// open finds the plugins of a call, and copies the project for them. The chain must be closed unless there is an error.
func (h Host) open(call Call) (_ *chain, err error) {
	c := &chain{host: h, call: call}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	if c.project, err = openProject(call.Project); err != nil {
		return nil, err
	}
	if c.file, err = readProjectFile(c.project, call); err != nil {
		return nil, err
	}
	plugins, broken, err := external.Discover(h.Root)
	if err != nil {
		return nil, err
	}
	if c.segments, err = h.segments(c.file.Layout, plugins, broken); err != nil {
		return nil, CallError{err}
	}
	c.copy, err = newWorkCopy(c.project)
	return c, err
}

// Commit writes the changes, all or none.
func (r *Run) Commit() error { return r.transaction.Commit() }

// End unlocks the folder of the project.
func (r *Run) End() { r.transaction.End() }
