//go:build e2e

package container

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/docker"
)

func TestMain(m *testing.M) {
	if code, isStep := process.Main(os.Args[1:]); isStep {
		os.Exit(code)
	}
	code := m.Run()
	if err := daemons.stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// shellImage is the image of the tests, with this machine's static busybox and bash.
const shellImage = "rplug.test/shell:1"

// helperImage has contract.ImageRunner.
const helperImage = "rplug.test/helper:1"

// daemons are the programs used by the tests. Each is started and gets shellImage only once.
var daemons = programs{ready: map[string]error{}}

type programs struct {
	mutex  sync.Mutex
	ready  map[string]error
	stops  []func() error
	folder string
}

func (p *programs) stop() error {
	var errs []error
	for _, stop := range p.stops {
		errs = append(errs, stop())
	}
	return errors.Join(append(errs, os.RemoveAll(p.folder))...)
}

// start prepares a program for use.
func (p *programs) start(name string) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	err, found := p.ready[name]
	if !found {
		err = p.prepare(name)
		p.ready[name] = err
	}
	return err
}

func (p *programs) prepare(name string) error {
	if _, err := exec.LookPath(name); err != nil {
		return err
	}
	if name == "docker" {
		stop, err := docker.Start()
		if err != nil {
			return err
		}
		p.stops = append(p.stops, stop)
	}
	if p.folder == "" {
		folder, err := os.MkdirTemp("", "rplug-test-")
		if err != nil {
			return err
		}
		p.folder = folder
	}
	if err := checkout.BuildRuntime(p.folder); err != nil {
		return err
	}
	scripts, helper := filepath.Join(checkout.Root(), "test", "cluster", "node"), filepath.Join(p.folder, "helper.tar")
	for _, command := range [][]string{
		{"sh", "-c", `mkdir -p "$0/helper" && cp "$0/runner" "$0/helper/"`, p.folder},
		{filepath.Join(scripts, "image"), "-o", helper, "-t", helperImage, filepath.Join(p.folder, "helper")},
		{name, "load", "--input", helper},
	} {
		if err := call(command...); err != nil {
			return err
		}
	}
	return docker.Shell(name, shellImage, p.folder)
}

func call(command ...string) error {
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, bytes.TrimSpace(out))
	}
	return nil
}

// newEngine returns the engine of a program, or skips the test with a reason.
func newEngine(tb testing.TB, program string, edit func(*Options)) *Engine {
	tb.Helper()
	if err := daemons.start(program); err != nil {
		tb.Skipf("%s cannot be used here: %v", program, err)
	}
	options := Options{
		Environment: os.Environ(), Network: "none", Folder: tb.TempDir(),
		Runner: Runner{File: filepath.Join(daemons.folder, "runner")},
	}
	if edit != nil {
		edit(&options)
	}
	engine, err := New(context.Background(), program, options)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, engine.Close()) })
	return engine
}
