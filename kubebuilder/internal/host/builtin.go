package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// builtin runs plugins that are built into kubebuilder on a copy of the project, and applies their changes.
func (c *chain) builtin(ctx context.Context, keys []string) error {
	folder, err := os.MkdirTemp("", "rplug-kubebuilder-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	copied := filepath.Join(folder, filepath.Base(absolute(c.call.Project)))
	none := filepath.Join(folder, "plugins") // without external plugins, which are not for this kubebuilder to run
	if err := errors.Join(os.Mkdir(copied, 0o755), os.Mkdir(none, 0o755)); err != nil {
		return err
	}
	if err := c.project.copyTo(copied, c.call.Command == v1alpha1.CommandInit); err != nil {
		return err
	}
	if err := c.kubebuilder(ctx, copied, none, keys); err != nil {
		return err
	}
	return c.takeOver(copied, keys)
}

// absolute returns the absolute path of a folder, since kubebuilder names the project after the folder.
func absolute(folder string) string {
	if path, err := filepath.Abs(folder); err == nil {
		return path
	}
	return folder
}

// kubebuilder runs the command for built-in plugins.
func (c *chain) kubebuilder(ctx context.Context, folder, plugins string, keys []string) error {
	words := append(strings.Fields(c.call.Command), "--plugins", strings.Join(keys, ","))
	run := func(more ...string) (out []byte, err error) {
		var messages bytes.Buffer
		command := exec.CommandContext(ctx, c.host.Kubebuilder, append(slices.Clone(words), more...)...)
		command.Dir, command.Stderr = folder, &messages
		command.Env = append(slices.Clone(c.host.Environment), "EXTERNAL_PLUGINS_PATH="+plugins)
		if out, err = command.Output(); err != nil {
			return nil, fmt.Errorf("kubebuilder %s failed: %s", strings.Join(words, " "), reason(messages.String(), err))
		}
		if c.host.Stderr != nil && len(more) > 0 && more[0] != "--help" {
			_, _ = messages.WriteTo(c.host.Stderr)
		}
		return out, nil
	}
	help, err := run("--help")
	if err != nil {
		return err
	}
	_, err = run(knownFlags(string(help), c.call.Args)...)
	return err
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

// knownFlags removes the flags that a help text does not list: they are for external plugins.
func knownFlags(help string, args []string) []string {
	known := map[string]bool{}
	for _, match := range flagForm.FindAllStringSubmatch(help, -1) {
		known[match[1]] = true
	}
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

// copyTo copies the project's files, with the changes.
func (p *project) copyTo(folder string, withoutProjectFile bool) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	names := slices.Clone(p.files)
	for name := range p.changed {
		if !slices.Contains(p.files, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if withoutProjectFile && name == projectFileName {
			continue
		}
		content, err := p.read(name)
		if err == nil && content != nil {
			mode := fs.FileMode(0o644)
			if info, err := p.root.Lstat(name); err == nil {
				mode = info.Mode().Perm()
			}
			err = errors.Join(root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o755), root.WriteFile(name, content, mode))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeOver records the differences of a copy. The layout in its PROJECT file is replaced with that of the whole chain.
func (c *chain) takeOver(folder string, keys []string) error {
	after, err := openProject(folder)
	if err != nil {
		return err
	}
	defer after.close()
	for _, name := range c.project.files {
		if !slices.Contains(after.files, name) {
			c.project.set(name, nil)
		}
	}
	for _, name := range after.files {
		content, err := after.read(name)
		if err != nil {
			return err
		}
		if before, err := c.project.read(name); err != nil || before == nil || !bytes.Equal(before, content) {
			c.project.set(name, content)
		}
	}
	if err := c.reread(); err != nil || c.call.Command != v1alpha1.CommandInit {
		return err
	}
	at := slices.Index(c.layout, keys[0])
	c.layout = slices.Replace(slices.Clone(c.layout), at, at+len(keys), c.file.Layout...) // with kubebuilder's spelling
	c.file.Layout, c.file.content["layout"] = c.layout, c.layout
	c.project.set(projectFileName, c.file.text())
	return nil
}
