package pluginhost

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/api/externalplugin/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/externalplugin"
)

// chain is a run of the plugins of a chain, one after the other.
type chain struct {
	host    Host
	call    Call
	project *project
	file    *projectFile
	layout  []string
}

// step runs a part of the chain.
func (c *chain) step(ctx context.Context, s segment) error {
	if s.plugin == nil {
		return c.builtin(ctx, s.builtins)
	}
	limits := c.host.Limits
	limits.Stderr = c.host.Stderr
	request := v1alpha1.Request{
		APIVersion: v1alpha1.APIVersion, Args: c.call.Args, Command: c.call.Command,
		PluginChain: c.layout, Config: c.file.content,
	}
	response, err := s.plugin.Call(ctx, c.call.Project, request, c.project.universe, limits)
	if err != nil {
		return err
	}
	return c.apply(*s.plugin, response)
}

// apply takes over what a plugin has changed, or nothing if any of it is refused. The error has everything that is.
func (c *chain) apply(plugin externalplugin.Plugin, response *v1alpha1.Response) error {
	var errs []error
	refuse := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("plugin "+plugin.Key()+": "+format, args...))
	}
	if v := response.APIVersion; v != "" && v != v1alpha1.APIVersion {
		refuse("apiVersion must be %q, not %q", v1alpha1.APIVersion, v)
	}
	if v := response.Command; v != "" && v != c.call.Command {
		refuse("command must be %q as in the request, not %q", c.call.Command, v)
	}
	changed := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(response.Universe)) {
		if wrong := externalplugin.CheckPath(name); wrong != "" {
			refuse("path %s", wrong)
			continue
		}
		before, err := c.project.read(name)
		switch after := response.Universe[name]; {
		case err != nil:
			refuse("%w", err)
		case before != nil && string(before) == after:
		case before != nil && !isText(before):
			refuse("%s must stay as it is: plugins do not see it, since it is not text in UTF-8", name)
		case name == projectFileName && c.call.Command == v1alpha1.CommandInit:
			refuse("%s must not be in a response to %s: the host writes it", name, v1alpha1.CommandInit)
		default:
			changed[name] = []byte(after)
		}
	}
	for _, name := range slices.Sorted(slices.Values(response.Deleted)) {
		_, isWritten := response.Universe[name]
		switch before, err := c.project.read(name); {
		case externalplugin.CheckPath(name) != "":
			refuse("deleted path %s", externalplugin.CheckPath(name))
		case isWritten:
			refuse("%s must not be both in the universe and deleted", name)
		case name == projectFileName:
			refuse("%s must not be deleted", name)
		case err != nil:
			refuse("%w", err)
		case before == nil:
			refuse("%s must not be deleted: there is no such file", name)
		default:
			changed[name] = nil
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	maps.Copy(c.project.changed, changed)
	return c.reread()
}

// reread reads the file PROJECT again if a plugin has changed it.
func (c *chain) reread() error {
	text, isChanged := c.project.changed[projectFileName]
	if !isChanged {
		return nil
	}
	return c.file.parse(text)
}
