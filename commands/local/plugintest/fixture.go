package plugintest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// localhost is the address of fixtures: container ports are published only there.
const localhost = "127.0.0.1"

// fixture is a running fixture.
type fixture struct {
	*v1alpha1.Fixture
	// port is its port on this machine, or 0.
	port int

	run         *process // on this machine
	own         string   // its folder there
	environment []string
	container   *containerFixture // in a container
}

// readyInterval is the time between two readiness checks.
const readyInterval = 200 * time.Millisecond

// startFixtures starts the fixtures in sequence, each when the previous one is ready.
func (l *round) startFixtures(ctx context.Context) error {
	specs := l.test.Spec.Fixtures
	if slices.ContainsFunc(specs, func(f v1alpha1.Fixture) bool { return f.Image != "" }) {
		if err := l.createNetwork(ctx); err != nil {
			return err
		}
	}
	for i := range specs {
		f := &fixture{Fixture: &specs[i]}
		l.fixtures = append(l.fixtures, f)
		if err := l.start(ctx, f); err != nil {
			return errFixture{fmt.Errorf("fixture %q: %w", f.Name, err), f.logs()}
		}
	}
	return nil
}

func (l *round) start(ctx context.Context, f *fixture) error {
	ctx, stop := within(ctx, seconds(f.TimeoutSeconds))
	defer stop()
	if f.Image != "" {
		return l.startContainer(ctx, f)
	}
	return l.startCommand(ctx, f)
}

// startCommand starts a fixture on this machine, and waits until it is ready.
func (l *round) startCommand(ctx context.Context, f *fixture) error {
	if l.suite.machine.Networked && f.Port != 0 {
		return errors.New("steps in containers cannot reach a command on this machine: give the fixture an image, or use " +
			"--engine process")
	}
	own, err := os.MkdirTemp(l.folder, "fixture-")
	if err != nil {
		return err
	}
	from, err := filepath.Abs(l.test.folder)
	if err != nil {
		return err
	}
	environment := append(slices.Clone(l.suite.machine.Environment), "TEST_FOLDER="+from)
	if f.Port != 0 {
		if f.port, err = freePort(ctx); err != nil {
			return err
		}
		environment = append(environment, "FIXTURE_PORT="+strconv.Itoa(f.port))
	}
	for name, value := range f.Env {
		environment = append(environment, name+"="+value)
	}
	f.own, f.environment = own, environment
	if f.run, err = startProcess(own, environment, program(f.Command, from)); err != nil {
		f.run = nil
		return err
	}
	return f.await(ctx, f.run.ended, func() bool {
		if len(f.Ready) == 0 {
			return f.port == 0 || accepts(ctx, f.port)
		}
		try, err := startProcess(own, environment, program(f.Ready, from))
		if err != nil {
			return false
		}
		defer try.stop()
		select {
		case <-try.ended:
			return try.err == nil
		case <-ctx.Done():
			return false
		}
	})
}

// await waits until a fixture is ready.
func (f *fixture) await(ctx context.Context, ended <-chan struct{}, ready func() bool) error {
	for !ready() {
		select {
		case <-ended:
			return f.ended()
		case <-ctx.Done():
			return fmt.Errorf("it must be ready in time: %w", context.Cause(ctx))
		case <-time.After(readyInterval):
		}
	}
	return nil
}

func (f *fixture) ended() error {
	if f.run != nil && f.run.err != nil {
		return fmt.Errorf("it must not end before it is ready: %w", f.run.err)
	}
	return errors.New("it must not end before it is ready")
}

// freePort returns a port that no process listens on.
func freePort(ctx context.Context) (int, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(localhost, "0"))
	if err != nil {
		return 0, err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}

// accepts reports whether a port of this machine accepts connections.
func accepts(ctx context.Context, port int) bool {
	dialer := &net.Dialer{Timeout: time.Second}
	connection, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(localhost, strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return connection.Close() == nil
}

// fixtureValue returns the address of a fixture for the plugin's scripts.
func (l *round) fixtureValue(value v1alpha1.FixtureValue) string {
	for _, f := range l.fixtures {
		switch {
		case f.Name != value.Fixture:
		case value.Field == v1alpha1.FixtureHost && f.container != nil && l.suite.machine.Networked:
			return f.Name
		case value.Field == v1alpha1.FixtureHost:
			return localhost
		case f.container != nil && l.suite.machine.Networked:
			return strconv.Itoa(f.Port)
		default:
			return strconv.Itoa(f.port)
		}
	}
	return ""
}

// logs returns the last lines of the fixture's output.
func (f *fixture) logs() []Log {
	what := fmt.Sprintf("fixture %q", f.Name)
	switch {
	case f.run != nil:
		return logOf(what, f.run.output.String())
	case f.container != nil:
		return logOf(what, f.container.program.Logs(f.container.name, tailLines))
	}
	return nil
}

// stopFixtures stops the fixtures in reverse order.
func (l *round) stopFixtures() error {
	var containers []string
	for _, f := range slices.Backward(l.fixtures) {
		switch {
		case f.run != nil:
			f.run.stop()
		case f.container != nil:
			containers = append(containers, f.container.name)
		}
	}
	if l.network == "" {
		return nil
	}
	return l.program.Remove(context.Background(), containers, []string{l.network})
}
