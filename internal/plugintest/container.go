package plugintest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// container is a fixture in a container.
type container struct {
	program string
	name    string
}

// removeTimeout is how long docker or podman may take to remove something.
const removeTimeout = time.Minute

// label finds what a test that was killed has left: docker ps --filter label=resourceplugins.dev/fixture.
const label = contract.Group + "/fixture"

// client runs docker or podman, and returns what it prints. Only the last line of an error is kept. It is in a group of its
// own, so that the Ctrl-C of a terminal does not end it.
func client(ctx context.Context, program string, environment []string, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, program, arguments...)
	command.Env = append(command.Environ(), environment...)
	own := separations()
	own[len(own)-1](command)
	text, err := command.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		lines := strings.Split(strings.TrimSpace(string(failed.Stderr)), "\n")
		err = fmt.Errorf("%s %s: %s", program, arguments[0], lines[len(lines)-1])
	}
	return strings.TrimSpace(string(text)), err
}

// createNetwork makes the network of a life.
func (l *life) createNetwork(ctx context.Context) error {
	if l.suite.machine.Containers == "" {
		return errors.New("a fixture with an image needs docker or podman: install one, or give the fixture a command alone")
	}
	name := "rplug-test-" + strings.ToLower(rand.Text()[:10])
	_, err := client(ctx, l.suite.machine.Containers, nil, "network", "create", "--label", label, name)
	if err == nil {
		l.network = name
	}
	return err
}

func (l *life) removeNetwork() error {
	if l.network == "" {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), removeTimeout)
	defer stop()
	_, err := client(ctx, l.suite.machine.Containers, nil, "network", "rm", l.network)
	return err
}

// startContainer starts a fixture in a container, and waits until it is ready.
func (l *life) startContainer(ctx context.Context, f *fixture) error {
	program := l.suite.machine.Containers
	f.box = &container{program: program, name: l.network + "-" + f.Name}
	arguments := []string{"run", "--detach", "--name", f.box.name, "--label", label,
		"--network", l.network, "--network-alias", f.Name}
	environment := make([]string, 0, len(f.Env))
	for _, name := range slices.Sorted(maps.Keys(f.Env)) { // values are in no command line, which all users can read
		arguments, environment = append(arguments, "--env", name), append(environment, name+"="+f.Env[name])
	}
	if f.Port != 0 {
		arguments = append(arguments, "--publish", localhost+"::"+strconv.Itoa(f.Port))
	}
	if _, err := client(ctx, program, environment, append(append(arguments, f.Image), f.Command...)...); err != nil {
		return err
	}
	if f.Port != 0 {
		address, err := client(ctx, program, nil, "port", f.box.name, strconv.Itoa(f.Port)+"/tcp")
		if err != nil {
			return err
		}
		first, _, _ := strings.Cut(address, "\n")
		_, port, err := net.SplitHostPort(first)
		if err != nil {
			return err
		}
		if f.port, err = strconv.Atoi(port); err != nil {
			return err
		}
	}
	ended := make(chan struct{})
	return f.await(ctx, ended, func() bool { return f.box.ready(ctx, f, ended) })
}

// ready reports whether the container is ready. It closes ended if the container has ended.
func (c *container) ready(ctx context.Context, f *fixture, ended chan struct{}) bool {
	running, err := client(ctx, c.program, nil, "inspect", "--format", "{{.State.Running}}", c.name)
	if err == nil && running != "true" {
		select {
		case <-ended:
		default:
			close(ended)
		}
		return false
	}
	if len(f.Ready) > 0 {
		_, err := client(ctx, c.program, nil, append([]string{"exec", c.name}, f.Ready...)...)
		return err == nil
	}
	return f.port == 0 || accepts(ctx, f.port)
}

// logs returns what the container has printed.
func (c *container) logs() string {
	ctx, stop := context.WithTimeout(context.Background(), removeTimeout)
	defer stop()
	text, _ := exec.CommandContext(ctx, c.program, "logs", "--tail", strconv.Itoa(tailLines), c.name).CombinedOutput()
	return string(text)
}

// remove ends and removes the container.
func (c *container) remove() error {
	ctx, stop := context.WithTimeout(context.Background(), removeTimeout)
	defer stop()
	_, err := client(ctx, c.program, nil, "rm", "--force", "--volumes", c.name)
	if err != nil && strings.Contains(strings.ToLower(err.Error()), "no such container") {
		return nil
	}
	return err
}
