package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// readHelp reads the help of the built-in plugins before any plugin runs: those that kubebuilder does not know are an
// error of the call.
func (c *chain) readHelp(ctx context.Context) error {
	for i := range c.segments {
		s := &c.segments[i]
		if s.plugin != nil {
			continue
		}
		help, err := c.kubebuilder(ctx, s.builtins, "--help")
		switch {
		case err != nil && (ctx.Err() != nil || errors.Is(err, external.ErrTime)):
			return err
		case err != nil:
			return CallError{err}
		case bytes.Contains(help, []byte("\n  kubebuilder [flags]\n")): // the help of kubebuilder itself
			return CallError{fmt.Errorf("kubebuilder %s --plugins %s failed: no plugin could be resolved with key %q",
				c.call.Command, s, strings.Join(s.builtins, ","))}
		}
		s.help = string(help)
	}
	return nil
}

// builtin runs plugins that are built into kubebuilder on the copy of the project, and applies their changes.
func (c *chain) builtin(ctx context.Context, s segment) error {
	if _, err := c.kubebuilder(ctx, s.builtins, knownArgs(flagsOf(s.help), c.call.Args)...); err != nil {
		return err
	}
	changed, _, err := c.copy.written(c.project)
	if err != nil {
		return err
	}
	maps.Copy(c.project.changed, changed)
	return c.keepLayout(s.builtins)
}

// kubebuilder runs the command for built-in plugins, and returns its stdout. It has no limit of time by default, since it
// downloads and compiles modules.
func (c *chain) kubebuilder(ctx context.Context, keys []string, more ...string) ([]byte, error) {
	words := append(strings.Fields(c.call.Command), "--plugins", strings.Join(keys, ","))
	limited := ctx
	if limit := c.host.Limits.Time; limit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	var out, messages bytes.Buffer
	command := exec.CommandContext(limited, c.host.Kubebuilder, append(slices.Clone(words), more...)...)
	command.Dir, command.Stdout, command.Stderr = c.copy.folder, &out, &messages
	// External plugins are not for this kubebuilder to run.
	command.Env = append(slices.Clone(c.host.Environment), "EXTERNAL_PLUGINS_PATH="+c.copy.noPlugins)
	if err := external.Run(command); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		called := "kubebuilder " + strings.Join(words, " ")
		if limited.Err() != nil {
			return nil, external.TimeError(called, c.host.Limits.Time)
		}
		return nil, fmt.Errorf("%s failed: %s", called, reason(messages.String(), err))
	}
	if c.host.Stderr != nil && len(more) > 0 && more[0] != "--help" {
		_, _ = messages.WriteTo(c.host.Stderr)
	}
	return out.Bytes(), nil
}

// reason returns the error in kubebuilder's output, which is followed by the usage.
func reason(messages string, err error) string {
	for line := range strings.Lines(messages) {
		if text, found := strings.CutPrefix(strings.TrimSpace(line), "Error: "); found {
			return text
		}
	}
	if lines := strings.Split(strings.TrimSpace(messages), "\n"); lines[len(lines)-1] != "" {
		return lines[len(lines)-1]
	}
	return err.Error()
}

var flagForm = regexp.MustCompile(`(?m)^\s+(?:-\w, )?--([a-z][a-z0-9-]*)`)

// flagsOf returns the names of the flags that a help text lists.
func flagsOf(help string) map[string]bool {
	known := map[string]bool{}
	for _, match := range flagForm.FindAllStringSubmatch(help, -1) {
		known[match[1]] = true
	}
	return known
}

// knownArgs removes unknown flags from arguments: they are for external plugins.
func knownArgs(known map[string]bool, args []string) []string {
	kept := []string{}
	for i := 0; i < len(args); i++ {
		flag, isFlag := strings.CutPrefix(args[i], "--")
		name, _, hasValue := strings.Cut(flag, "=")
		takesNext := isFlag && !hasValue && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-")
		switch {
		case isFlag && !known[name] && takesNext:
			i++
		case isFlag && !known[name]:
		default:
			kept = append(kept, args[i])
		}
	}
	return kept
}

// keepLayout replaces the layout in the PROJECT file of built-in plugins with that of the whole chain.
func (c *chain) keepLayout(keys []string) error {
	if err := c.reread(); err != nil || c.call.Command != v1alpha1.CommandInit {
		return err
	}
	at := slices.Index(c.layout, keys[0])
	c.layout = slices.Replace(slices.Clone(c.layout), at, at+len(keys), c.file.Layout...) // with kubebuilder's spelling
	c.file.Layout, c.file.content["layout"] = c.layout, c.layout
	c.project.set(projectFileName, c.file.text())
	return nil
}
