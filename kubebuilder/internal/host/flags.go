package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// flagQuestions are the arguments with which plugins are asked for the flags of a command.
var flagQuestions = map[string]string{
	v1alpha1.CommandInit: "--init", v1alpha1.CommandCreateAPI: "--api", v1alpha1.CommandCreateWebhook: "--webhook",
	v1alpha1.CommandEdit: "--edit",
}

// checkFlags returns an error for flags that no plugin of the chain has, as kubebuilder does. If a plugin does not answer,
// it may have any flag.
func (c *chain) checkFlags(ctx context.Context) error {
	given := flagNames(c.call.Args)
	question, isAsked := flagQuestions[c.call.Command]
	if len(given) == 0 || !isAsked {
		return nil
	}
	known := map[string]bool{}
	if strings.HasPrefix(c.call.Command, "create ") {
		known = map[string]bool{"group": true, "version": true, "kind": true} // of kubebuilder itself
	}
	for _, s := range c.segments {
		flags, err := c.flags(ctx, s, question)
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if errors.Is(err, external.ErrTime) {
			return err
		}
		if err != nil {
			return nil //nolint:nilerr // the plugin may have any flag
		}
		maps.Copy(known, flags)
	}
	var errs []error
	for _, name := range given {
		if !known[name] {
			errs = append(errs, fmt.Errorf("no plugin of the chain has a flag --%s for %s: they have %s", name, c.call.Command,
				listed(known)))
		}
	}
	if len(errs) > 0 {
		return CallError{errors.Join(errs...)}
	}
	return nil
}

// flags returns the names of the flags of a segment.
func (c *chain) flags(ctx context.Context, s segment, question string) (map[string]bool, error) {
	if s.plugin == nil {
		return flagsOf(s.help), nil
	}
	response, err := c.ask(ctx, *s.plugin, v1alpha1.CommandFlags, question)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, flag := range response.Flags {
		names[flag.Name] = true
	}
	return names, nil
}

// ask sends the command flags or metadata to a plugin.
func (c *chain) ask(ctx context.Context, plugin external.Plugin, command, question string) (*v1alpha1.Response, error) {
	return plugin.Call(ctx, c.copy.folder, v1alpha1.Request{
		APIVersion: v1alpha1.APIVersion, Command: command, Args: []string{question},
	}, nil, c.host.Limits)
}

// flagNames returns the names of the flags among arguments.
func flagNames(args []string) (names []string) {
	for _, arg := range args {
		if arg == "--" {
			break
		}
		flag, isFlag := strings.CutPrefix(arg, "--")
		if name, _, _ := strings.Cut(flag, "="); isFlag && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// listed returns flags in one line.
func listed(known map[string]bool) string {
	if len(known) == 0 {
		return "none"
	}
	return "--" + strings.Join(slices.Sorted(maps.Keys(known)), ", --")
}
