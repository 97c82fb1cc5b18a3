package host

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// Help is the help of a plugin for a command.
type Help struct {
	// Keys name the plugin, or consecutive plugins that are built into kubebuilder.
	Keys string
	// Metadata and Flags are the answers of an external plugin.
	Metadata v1alpha1.Metadata
	Flags    []v1alpha1.Flag
	// Text is the output of kubebuilder for built-in plugins.
	Text string
}

// AsksForHelp reports whether the arguments of a call ask for help instead of a run.
func (c Call) AsksForHelp() bool {
	own := c.Args
	if end := slices.Index(own, "--"); end >= 0 {
		own = own[:end]
	}
	return slices.Contains(own, "--help") || slices.Contains(own, "-h")
}

// Help returns the help of each plugin of the chain, in its order. No plugin runs the command.
func (h Host) Help(ctx context.Context, call Call) ([]Help, error) {
	question, isAsked := flagQuestions[call.Command]
	if !isAsked {
		return nil, CallError{
			fmt.Errorf("plugins have help for init, create api, create webhook and edit, not for %q", call.Command),
		}
	}
	c, err := h.open(call)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if err := c.readHelp(ctx); err != nil {
		return nil, err
	}
	var all []Help
	for _, s := range c.segments {
		help, err := c.help(ctx, s, question)
		if err != nil {
			return nil, err
		}
		all = append(all, help)
	}
	return all, nil
}

// help returns the help of a segment.
func (c *chain) help(ctx context.Context, s segment, question string) (help Help, err error) {
	help.Keys = s.String()
	if s.plugin == nil {
		help.Text = strings.TrimSpace(s.help) + "\n"
		return help, nil
	}
	metadata, err := c.ask(ctx, *s.plugin, v1alpha1.CommandMetadata, question)
	if err != nil {
		return help, err
	}
	flags, err := c.ask(ctx, *s.plugin, v1alpha1.CommandFlags, question)
	if err != nil {
		return help, err
	}
	help.Metadata, help.Flags = metadata.Metadata, flags.Flags
	return help, nil
}
