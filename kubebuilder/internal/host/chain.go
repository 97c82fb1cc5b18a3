package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// chain runs the plugins of a chain in sequence.
type chain struct {
	host     Host
	call     Call
	project  *project
	file     *projectFile
	segments []segment
	layout   []string
	copy     *workCopy
	lost     []string // see Run
	written  []string // see Run
}

// close removes the copy of the project.
func (c *chain) close() {
	if c.copy != nil {
		c.copy.remove()
	}
	if c.project != nil {
		c.project.close()
	}
}

// run runs the segments, unless a flag is unknown to all of them.
func (c *chain) run(ctx context.Context) error {
	c.layout = nil
	for _, s := range c.segments {
		c.layout = append(c.layout, s.keys()...)
	}
	c.file.Layout = c.layout
	if c.call.Command == v1alpha1.CommandInit {
		c.file.content["layout"] = c.layout
		c.project.set(projectFileName, c.file.text())
	}
	if err := c.readHelp(ctx); err != nil {
		return err
	}
	if err := c.checkFlags(ctx); err != nil {
		return err
	}
	for _, s := range c.segments {
		if err := c.step(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// step runs a segment of the chain.
func (c *chain) step(ctx context.Context, s segment) error {
	c.host.progress(s.String())
	if err := c.copy.update(c.project, c.call.Command != v1alpha1.CommandInit); err != nil {
		return err
	}
	if s.plugin == nil {
		return c.builtin(ctx, s)
	}
	limits := c.host.Limits
	if c.host.Stderr != nil {
		plain := report.NewPlainWriter(c.host.Stderr)
		defer func() { _ = plain.Flush() }()
		limits.Stderr = plain
	}
	request := v1alpha1.Request{
		APIVersion: v1alpha1.APIVersion, Args: c.call.Args, Command: c.call.Command,
		PluginChain: c.layout, Config: c.file.content,
	}
	response, err := s.plugin.Call(ctx, c.copy.folder, request, c.universe, limits)
	if err != nil {
		return err
	}
	if err := c.takeOver(*s.plugin, response); err != nil {
		return err
	}
	return c.apply(*s.plugin, response)
}

// universe calls file with each file that plugins see. The command init has no file PROJECT yet, as in the copy.
func (c *chain) universe(file func(name string, content []byte) error) error {
	return c.project.universe(func(name string, content []byte) error {
		if name == projectFileName && c.call.Command == v1alpha1.CommandInit {
			return nil
		}
		return file(name, content)
	})
}

// takeOver adds the files that a plugin has written itself to its response, which takes precedence.
func (c *chain) takeOver(plugin external.Plugin, response *v1alpha1.Response) error {
	written, others, err := c.copy.written(c.project)
	if err != nil {
		return fmt.Errorf("plugin %s: %w", plugin.Key(), err)
	}
	note := func(format string, args ...any) {
		c.written = append(c.written, "plugin "+plugin.Key()+fmt.Sprintf(format, args...))
	}
	for _, other := range others {
		_ = c.copy.root.RemoveAll(other.path)
		note(" has made %s, which is dropped: %s", other.path, other.reason)
	}
	for _, name := range slices.Sorted(maps.Keys(written)) {
		content := written[name]
		_, isReturned := response.Universe[name]
		switch {
		case isReturned || slices.Contains(response.Deleted, name):
			note(" has changed %s itself, too: the file that it returns is written", name)
		case content == nil:
			note(" has removed %s itself: it must return the path in deleted", name)
			response.Deleted = append(response.Deleted, name)
		case !isText(content):
			if err := c.copy.restore(c.project, name); err != nil {
				return err
			}
			note(" has written %s itself, which is dropped: a response holds text in UTF-8", name)
		default:
			note(" has written %s itself: it must return the file in the universe", name)
			if response.Universe == nil {
				response.Universe = map[string]string{}
			}
			response.Universe[name] = string(content)
		}
	}
	return nil
}

// apply records the changes of a plugin, or none of them if any is refused. The error lists all refused changes.
func (c *chain) apply(plugin external.Plugin, response *v1alpha1.Response) error {
	var errs []error
	refuse := func(problem string) { errs = append(errs, fmt.Errorf("plugin %s: %s", plugin.Key(), problem)) }
	if v := response.APIVersion; v != "" && v != v1alpha1.APIVersion {
		refuse(fmt.Sprintf("apiVersion must be %q, not %q", v1alpha1.APIVersion, v))
	}
	if v := response.Command; v != "" && v != c.call.Command {
		refuse(fmt.Sprintf("command must be %q as in the request, not %q", c.call.Command, v))
	}
	changed := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(response.Universe)) {
		content := []byte(response.Universe[name])
		isChanged, problem := c.checkWritten(name, content)
		if isChanged {
			changed[name] = content
			if before, err := c.project.read(name); err == nil {
				if what := external.Lost(name, before, content); what != "" {
					c.lost = append(c.lost, "plugin "+plugin.Key()+": "+what)
				}
			}
		}
		if problem != "" {
			refuse(problem)
		}
	}
	for _, name := range slices.Sorted(slices.Values(response.Deleted)) {
		if _, isWritten := response.Universe[name]; isWritten {
			refuse(name + " must not be both in the universe and deleted")
		} else if problem := c.checkDeleted(name); problem != "" {
			refuse(problem)
		}
		changed[name] = nil
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	maps.Copy(c.project.changed, changed)
	return c.reread()
}

// checkWritten reports whether a plugin has changed a file, or why it must not.
func (c *chain) checkWritten(name string, after []byte) (isChanged bool, problem string) {
	if problem := v1alpha1.CheckUniversePath(name); problem != "" {
		return false, "path " + problem
	}
	before, err := c.project.read(name)
	switch {
	case err != nil:
		return false, err.Error()
	case before != nil && bytes.Equal(before, after):
		return false, ""
	case before != nil && !isText(before):
		return false, name + " must stay as it is: plugins do not see it, since it is not text in UTF-8"
	case name == projectFileName && c.call.Command == v1alpha1.CommandInit:
		return false, fmt.Sprintf("%s must not be in a response to %s: the host writes it", name, v1alpha1.CommandInit)
	}
	return true, ""
}

// checkDeleted returns the reason why a file must not be removed, or "".
func (c *chain) checkDeleted(name string) string {
	if problem := v1alpha1.CheckUniversePath(name); problem != "" {
		return "deleted path " + problem
	}
	before, err := c.project.read(name)
	switch {
	case name == projectFileName:
		return name + " must not be deleted"
	case err != nil:
		return err.Error()
	case before == nil:
		return name + " must not be deleted: there is no such file"
	}
	return ""
}

// reread parses the PROJECT file again if a plugin has changed it.
func (c *chain) reread() error {
	text, isChanged := c.project.changed[projectFileName]
	if !isChanged {
		return nil
	}
	return c.file.parse(text)
}
