package container

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
)

// Programs returns the supported programs, in the order in which rplug tries them.
func Programs() []string { return []string{"docker", "podman"} }

// Program is docker or podman.
type Program struct {
	name, path  string
	podman      bool
	environment []string
}

// Find returns a program, one of Programs, if it works. It removes the containers and networks of killed processes. The
// environment is the program's, as os.Environ returns it.
func Find(ctx context.Context, name string, environment []string) (*Program, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("%s is not installed: %w", name, err)
	}
	p := &Program{name: name, path: path, environment: environment}
	version, err := p.output(ctx, "--version")
	if err != nil {
		return nil, err
	}
	p.podman = strings.Contains(version, "podman")
	if _, err := p.output(ctx, "info", "--format", "{{.}}"); err != nil {
		return nil, fmt.Errorf("%s does not work, start its daemon or its machine: %w", name, err)
	}
	p.removeLeftovers(ctx)
	return p, nil
}

// Name returns the name of the program.
func (p *Program) Name() string { return p.name }

// Run runs the program and returns its output without the final line break. The variables, NAME=VALUE, are added to its
// environment.
func (p *Program) Run(ctx context.Context, variables []string, arguments ...string) (string, error) {
	command := p.command(ctx, arguments...)
	command.Env = append(command.Env, variables...)
	return p.finish(command)
}

// command returns a call of the program in its own process group, so that the Ctrl-C of a terminal reaches only rplug, which
// then stops the container.
func (p *Program) command(ctx context.Context, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, p.path, arguments...)
	command.Env = slices.Clone(p.environment)
	separate(command)
	return command
}

// output runs the program and returns its output without the final line break.
func (p *Program) output(ctx context.Context, arguments ...string) (string, error) {
	return p.finish(p.command(ctx, arguments...))
}

// finish runs a command and returns its output. The error has the last line of stderr.
func (p *Program) finish(command *exec.Cmd) (string, error) {
	var stdout, stderr strings.Builder
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return "", p.failed(command, &stderr, err)
	}
	return strings.TrimSuffix(stdout.String(), "\n"), nil
}

// failed returns the error of a failed command, such as "docker create: no such image". Of the arguments, it contains only
// the subcommand.
func (p *Program) failed(command *exec.Cmd, stderr fmt.Stringer, err error) error {
	if line := lastLine(stderr.String()); line != "" {
		err = errors.New(line)
	}
	return fmt.Errorf("%s %s: %w", p.name, command.Args[1], err)
}

// lastLine returns the last meaningful line of a text.
func lastLine(text string) string {
	line := ""
	for next := range strings.Lines(text) {
		next = strings.TrimSpace(next)
		if next != "" && !strings.HasPrefix(next, "Run '") { // docker ends with: see --help
			line = next
		}
	}
	for _, prefix := range []string{"Error response from daemon: ", "Error: ", "docker: "} {
		line = strings.TrimPrefix(line, prefix)
	}
	return line
}

// Logs returns the last lines of a container's log.
func (p *Program) Logs(name string, lines int) string {
	ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
	defer cancel()
	text, _ := p.command(ctx, "logs", "--tail", strconv.Itoa(lines), name).CombinedOutput()
	return string(text)
}

// removeTimeout limits the time to remove containers after the context has ended.
const removeTimeout = time.Minute

// Remove removes containers and then networks, by names or ids. Containers may be running, and their anonymous volumes are
// removed, too. Missing objects are ignored. Remove continues after the context has ended.
func (p *Program) Remove(ctx context.Context, containers, networks []string) error {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
	defer cancel()
	return errors.Join(p.remove(limited, containerKind, containers...), p.remove(limited, networkKind, networks...))
}

// kind is a kind of object that can have localrun.LabelOwner, with the program's arguments for it.
type kind struct {
	list, inspect, remove []string
	removeWithPodman      []string // additional flags
	format                string   // of inspect: name and label
	missing               string   // part of the error for an object that does not exist
}

var (
	containerKind = kind{
		list: []string{"ps", "--all", "--quiet", "--no-trunc"}, inspect: []string{"inspect", "--type", "container"},
		remove: []string{"rm", "--force", "--volumes"}, format: `{{.Id}} {{index .Config.Labels "` + localrun.LabelOwner + `"}}`,
		removeWithPodman: []string{"--time", "0"}, // it would wait for the container to end
		missing:          "no such container",
	}
	networkKind = kind{
		list: []string{"network", "ls", "--quiet"}, inspect: []string{"network", "inspect"},
		remove: []string{"network", "rm"}, format: `{{.Name}} {{index .Labels "` + localrun.LabelOwner + `"}}`,
		missing: "not found",
	}
)

// remove removes containers or networks, ignoring missing ones.
func (p *Program) remove(ctx context.Context, of kind, names ...string) error {
	if len(names) == 0 {
		return nil
	}
	arguments := of.remove
	if p.podman {
		arguments = slices.Concat(arguments, of.removeWithPodman)
	}
	_, err := p.output(ctx, slices.Concat(arguments, names)...)
	if err != nil && strings.Contains(strings.ToLower(err.Error()), of.missing) {
		return nil
	}
	return err
}

// removeLeftovers removes the remains of killed processes. Errors are ignored: another process may be removing the same
// objects, and they do no harm.
func (p *Program) removeLeftovers(ctx context.Context) { _ = p.removeOwned(ctx, localrun.IsAbandoned) }

// removeOwned removes the containers and networks of owners.
func (p *Program) removeOwned(ctx context.Context, isOwner func(mark string) bool) error {
	for _, of := range []kind{containerKind, networkKind} { // a network in use cannot be removed
		owned, err := p.owned(ctx, of, isOwner)
		if err != nil {
			return err
		}
		if err := p.remove(ctx, of, owned...); err != nil {
			return err
		}
	}
	return nil
}

// owned returns the containers or networks of owners.
func (p *Program) owned(ctx context.Context, of kind, isOwner func(mark string) bool) ([]string, error) {
	ids, err := p.output(ctx, slices.Concat(of.list, []string{"--filter", "label=" + localrun.LabelOwner})...)
	if err != nil || ids == "" {
		return nil, err
	}
	// If one of them was removed meanwhile, inspect fails, but prints the others.
	inspect := p.command(ctx, slices.Concat(of.inspect, []string{"--format", of.format}, strings.Fields(ids))...)
	described, _ := inspect.Output()
	var owned []string
	for line := range strings.Lines(string(described)) {
		if name, mark, _ := strings.Cut(strings.TrimSpace(line), " "); isOwner(mark) {
			owned = append(owned, name)
		}
	}
	return owned, nil
}
