package plugintest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/commands/local/localrun/container"
)

// containerFixture is a fixture in a container.
type containerFixture struct {
	program *container.Program
	name    string
}

// createNetwork creates the network of a round. Its name and the names of its containers are unique, like the mark.
func (l *round) createNetwork(ctx context.Context) (err error) {
	if l.suite.machine.Containers == "" {
		return errors.New("a fixture with an image needs docker or podman: install one, or give the fixture only a command")
	}
	if l.program, err = container.Find(ctx, l.suite.machine.Containers, l.suite.machine.Environment); err != nil {
		return err
	}
	l.mark = localrun.NewMark()
	name := "rplug-" + l.mark
	// Not interrupted: it would be unknown whether the network exists.
	_, err = l.program.Run(context.WithoutCancel(ctx), nil, "network", "create", "--label", l.label(), name)
	if err == nil {
		l.network = name
	}
	return err
}

func (l *round) label() string { return localrun.LabelOwner + "=" + l.mark }

// startContainer starts a fixture in a container, and waits until it is ready.
func (l *round) startContainer(ctx context.Context, f *fixture) error {
	if err := l.program.Pull(ctx, f.Image); err != nil { // may take long, and leaves nothing behind
		return err
	}
	f.container = &containerFixture{program: l.program, name: l.network + "-" + f.Name}
	arguments := []string{
		"create", "--name", f.container.name, "--label", l.label(), "--network", l.network, "--network-alias", f.Name,
	}
	variables := make([]string, 0, len(f.Env))
	for _, name := range slices.Sorted(maps.Keys(f.Env)) { // all users can read command lines, so they contain no values
		arguments, variables = append(arguments, "--env", name), append(variables, name+"="+f.Env[name])
	}
	if f.Port != 0 {
		arguments = append(arguments, "--publish", localhost+"::"+strconv.Itoa(f.Port))
	}
	// Not interrupted: it would be unknown whether the container exists.
	whole := context.WithoutCancel(ctx)
	if _, err := l.program.Run(whole, variables, append(append(arguments, f.Image), f.Command...)...); err != nil {
		return err
	}
	if _, err := l.program.Run(whole, nil, "start", f.container.name); err != nil {
		return err
	}
	if f.Port != 0 {
		if err := f.findPort(ctx); err != nil {
			return err
		}
	}
	ended := make(chan struct{})
	return f.await(ctx, ended, func() bool { return f.container.ready(ctx, f, ended) })
}

// findPort finds the port of this machine that leads to the container.
func (f *fixture) findPort(ctx context.Context) error {
	address, err := f.container.program.Run(ctx, nil, "port", f.container.name, strconv.Itoa(f.Port)+"/tcp")
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(address, "\n")
	_, port, err := net.SplitHostPort(first)
	if err != nil {
		return fmt.Errorf("port %d must be published: %w", f.Port, err)
	}
	f.port, err = strconv.Atoi(port)
	return err
}

// ready reports whether the container is ready. It closes ended if the container has ended.
func (b *containerFixture) ready(ctx context.Context, f *fixture, ended chan struct{}) bool {
	running, err := b.program.Run(ctx, nil, "inspect", "--format", "{{.State.Running}}", b.name)
	if err == nil && running != "true" {
		select {
		case <-ended:
		default:
			close(ended)
		}
		return false
	}
	if len(f.Ready) > 0 {
		_, err := b.program.Run(ctx, nil, append([]string{"exec", b.name}, f.Ready...)...)
		return err == nil
	}
	return f.port == 0 || accepts(ctx, f.port)
}
