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

	"github.com/resource-plugins/krm-functions/local/localrun/container"
	"github.com/resource-plugins/krm-functions/internal/owner"
)

// box is a fixture in a container.
type box struct {
	program *container.Program
	name    string
}

// createNetwork makes the network of a life. Its name and those of its containers are unique, as the mark is.
func (l *life) createNetwork(ctx context.Context) (err error) {
	if l.suite.machine.Containers == "" {
		return errors.New("a fixture with an image needs docker or podman: install one, or give the fixture a command alone")
	}
	if l.program, err = container.Find(ctx, l.suite.machine.Containers, l.suite.machine.Environment); err != nil {
		return err
	}
	l.mark = owner.New()
	name := "rplug-" + l.mark
	// Not interrupted: it would not be known whether there is a network.
	_, err = l.program.Run(context.WithoutCancel(ctx), nil, "network", "create", "--label", l.label(), name)
	if err == nil {
		l.network = name
	}
	return err
}

func (l *life) label() string { return owner.Label + "=" + l.mark }

// startContainer starts a fixture in a container, and waits until it is ready.
func (l *life) startContainer(ctx context.Context, f *fixture) error {
	if err := l.program.Pull(ctx, f.Image); err != nil { // which can take long, and leaves nothing
		return err
	}
	f.box = &box{program: l.program, name: l.network + "-" + f.Name}
	arguments := []string{
		"create", "--name", f.box.name, "--label", l.label(), "--network", l.network, "--network-alias", f.Name,
	}
	variables := make([]string, 0, len(f.Env))
	for _, name := range slices.Sorted(maps.Keys(f.Env)) { // values are in no command line, which all users can read
		arguments, variables = append(arguments, "--env", name), append(variables, name+"="+f.Env[name])
	}
	if f.Port != 0 {
		arguments = append(arguments, "--publish", localhost+"::"+strconv.Itoa(f.Port))
	}
	// Not interrupted: it would not be known whether there is a container.
	whole := context.WithoutCancel(ctx)
	if _, err := l.program.Run(whole, variables, append(append(arguments, f.Image), f.Command...)...); err != nil {
		return err
	}
	if _, err := l.program.Run(whole, nil, "start", f.box.name); err != nil {
		return err
	}
	if f.Port != 0 {
		if err := f.findPort(ctx); err != nil {
			return err
		}
	}
	ended := make(chan struct{})
	return f.await(ctx, ended, func() bool { return f.box.ready(ctx, f, ended) })
}

// findPort asks where this machine reaches the container.
func (f *fixture) findPort(ctx context.Context) error {
	address, err := f.box.program.Run(ctx, nil, "port", f.box.name, strconv.Itoa(f.Port)+"/tcp")
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
func (b *box) ready(ctx context.Context, f *fixture, ended chan struct{}) bool {
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
