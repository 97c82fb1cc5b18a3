// Package host runs chains of kubebuilder's external plugins, as kubebuilder does, but commits all that they return or
// nothing. Its main type is Host:
//
//	host := host.Host{Root: root}
//	run, err := host.Run(ctx, host.Call{Project: ".", Command: "init", Plugins: []string{"sample/v1"}})
//	defer run.End()
//	… run.Changes …
//	err = run.Commit()
//
// Plugins see the project with the changes of the plugins before them: files of text that git does not ignore. What a plugin
// returns unchanged is not written, and no path leads out of the project. Plugins that kubebuilder has built in, such as
// go/v4, are run by the kubebuilder that is installed, on a copy.
package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/transaction"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// Host says how plugins are found and run.
type Host struct {
	// Root is the discovery folder: see external.Root.
	Root string
	// Kubebuilder is the program that runs built-in plugins; empty if there is none.
	Kubebuilder string
	// Environment is that of Kubebuilder.
	Environment []string
	// Stderr receives what plugins print on stderr; nil drops it.
	Stderr io.Writer
	// Limits are those of a call of a plugin.
	Limits external.Limits
}

// Call is a command for a chain of plugins.
type Call struct {
	// Project is the folder of the project.
	Project string
	// Command is one of Commands.
	Command string
	// Plugins are the keys of the chain, NAME/VERSION. Without any the layout of the file PROJECT is the chain.
	Plugins []string
	// Args are the arguments for the plugins.
	Args []string
}

// Commands are the commands that a chain can be run with.
var Commands = []string{
	v1alpha1.CommandInit, v1alpha1.CommandCreateAPI, v1alpha1.CommandCreateWebhook, v1alpha1.CommandEdit,
	v1alpha1.CommandDelete,
}

// Run is a chain that has ended, whose changes are not written yet.
type Run struct {
	// Changes are what the plugins have changed, by path, sorted.
	Changes []transaction.Change
	// Lost are what plugins may have lost of files that they have rewritten, a sentence each.
	Lost []string
	// LeftOut are files that plugins did not see, with the reason, sorted.
	LeftOut []LeftOut
	// Broken are folders of the discovery folder that hold no plugin which can be called.
	Broken []external.Broken
	// Recovered reports that an interrupted run has been completed or undone.
	Recovered bool

	transaction *transaction.Transaction
}

// Run runs the chain. The folder of the project is locked until the run ends: End must be called unless there is an error.
func (h Host) Run(ctx context.Context, call Call) (*Run, error) {
	if !slices.Contains(Commands, call.Command) {
		return nil, fmt.Errorf("the command must be one of %s, not %q", strings.Join(Commands, ", "), call.Command)
	}
	changes, err := transaction.Begin(ctx, call.Project)
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
	project, err := openProject(call.Project)
	if err != nil {
		return nil, err
	}
	defer project.close()
	file, err := readProjectFile(project, call)
	if err != nil {
		return nil, err
	}
	plugins, broken, err := external.Discover(h.Root)
	if err != nil {
		return nil, err
	}
	segments, err := h.segments(file.Layout, plugins, broken)
	if err != nil {
		return nil, err
	}
	c := &chain{host: h, call: call, project: project, file: file, layout: file.Layout}
	if call.Command == v1alpha1.CommandInit {
		project.set(projectFileName, file.text())
	}
	for _, segment := range segments {
		if err := c.step(ctx, segment); err != nil {
			return nil, err
		}
	}
	run := &Run{Lost: c.lost, LeftOut: project.leftOut, Broken: broken, Recovered: changes.Recovered, transaction: changes}
	if run.Changes, err = project.changes(); err != nil {
		return nil, err
	}
	return run, nil
}

// Commit writes the changes, all or none.
func (r *Run) Commit() error {
	for _, change := range r.Changes {
		r.transaction.Replace(change.Path, change.Before, change.After)
	}
	return r.transaction.Commit()
}

// End releases the folder of the project.
func (r *Run) End() { r.transaction.End() }

// segment is a part of a chain: one external plugin, or built-in plugins that kubebuilder runs together.
type segment struct {
	plugin   *external.Plugin
	builtins []string
}

// segments splits a chain. What is not installed is taken for built-in.
func (h Host) segments(
	chain []string, plugins []external.Plugin, broken []external.Broken,
) (segments []segment, err error) {
	installed := map[string]*external.Plugin{}
	for i := range plugins {
		installed[plugins[i].Key()] = &plugins[i]
	}
	var errs []error
	for _, key := range chain {
		switch plugin := installed[key]; {
		case plugin != nil:
			segments = append(segments, segment{plugin: plugin})
		case h.Kubebuilder == "":
			errs = append(errs, h.missing(key, slices.Sorted(maps.Keys(installed)), broken))
		case len(segments) > 0 && segments[len(segments)-1].plugin == nil:
			last := &segments[len(segments)-1]
			last.builtins = append(last.builtins, key)
		default:
			segments = append(segments, segment{builtins: []string{key}})
		}
	}
	return segments, errors.Join(errs...)
}

// missing says why a plugin of the chain cannot be called.
func (h Host) missing(key string, installed []string, broken []external.Broken) error {
	name, _, _ := strings.Cut(key, "/")
	for _, one := range broken {
		if strings.Contains(one.Folder+"/", "/"+name+"/") {
			return fmt.Errorf("plugin %q cannot be called: %w", key, one)
		}
	}
	text := "none"
	if len(installed) > 0 {
		text = strings.Join(installed, ", ")
	}
	return fmt.Errorf("plugin %q is not in %s, which has %s; plugins of kubebuilder need kubebuilder on the PATH",
		key, h.Root, text)
}
