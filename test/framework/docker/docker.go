// Package docker starts a docker daemon for tests and loads the images of this checkout.
package docker

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// Start starts a docker daemon unless one is running. stop stops the daemon only if Start started it. Tests of several
// packages share the daemon: run them in sequence (go test -p 1), or start it before.
func Start() (stop func() error, err error) {
	scripts := filepath.Join(checkout.Root(), "test", "framework", "docker")
	output, err := run("", filepath.Join(scripts, "up"))
	if err != nil {
		return nil, err
	}
	return func() error {
		if !strings.HasPrefix(output, "started") {
			return nil
		}
		_, err := run("", filepath.Join(scripts, "down"))
		return err
	}, nil
}

// Restricted are the flags of `docker run` for a container without network, capabilities and writable files, whose processes
// cannot gain privileges.
const Restricted = "--network none --read-only --cap-drop ALL --security-opt no-new-privileges"

// Run returns the arguments of docker that run a restricted container, followed by additional flags, the image and its
// arguments.
func Run(more ...string) []string {
	return append(append([]string{"run", "--rm"}, strings.Fields(Restricted)...), more...)
}

// LoadImages builds the images of this checkout for this machine in folder, and loads them.
func LoadImages(folder string) error {
	architecture, err := run("", "go", "env", "GOHOSTARCH")
	if err != nil {
		return err
	}
	_, err = run(checkout.Root(), "make", "images", "BIN="+folder, "PLATFORMS=linux/"+strings.TrimSpace(architecture))
	if err != nil {
		return err
	}
	archives, err := filepath.Glob(filepath.Join(folder, "images", "*.tar"))
	if err != nil {
		return err
	}
	if len(archives) == 0 {
		return errors.New("make images wrote no archive")
	}
	for _, archive := range archives {
		if err := Load(archive); err != nil {
			return err
		}
	}
	return nil
}

// Load loads the images of an archive.
func Load(archive string) error {
	_, err := run("", "docker", "load", "--input", archive)
	return err
}

// Shell creates an image with this machine's static busybox and bash, and loads it into docker or podman. The error is the
// reason why the program cannot run its containers. The folder has files that containers need.
func Shell(program, tag, folder string) error {
	scripts := filepath.Join(checkout.Root(), "test", "cluster", "node")
	files, archive := filepath.Join(folder, "shell"), filepath.Join(folder, "shell.tar")
	for _, command := range [][]string{
		{program, "info"},
		{filepath.Join(scripts, "shell"), files},
		{filepath.Join(scripts, "image"), "-o", archive, "-t", tag, "-c", `["/bin/sh"]`, files},
		{program, "load", "--input", archive},
	} {
		if _, err := run("", command[0], command[1:]...); err != nil {
			return err
		}
	}
	works := func() error {
		_, err := run("", program, Run("--pull", "never", tag, "true")...)
		return err
	}
	err := works()
	if err == nil || program != "podman" || os.Getenv("CONTAINERS_CONF") != "" {
		return err
	}
	file := filepath.Join(folder, "containers.conf")
	if err := errors.Join(os.WriteFile(file, []byte(podmanConfig), 0o600), os.Setenv("CONTAINERS_CONF", file)); err != nil {
		return err
	}
	return works()
}

// podmanConfig is for machines on which podman's default runtime or limits do not work, for example inside a container.
const podmanConfig = `[containers]
default_ulimits=["nofile=1024:4096","nproc=1024:4096"]
[engine]
runtime="runc"
`

func run(folder, name string, args ...string) (string, error) {
	command := exec.Command(name, args...)
	command.Dir = folder
	command.Env = append(os.Environ(), "MAKEFLAGS=") // if make runs the tests
	out, err := command.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out), nil
}
