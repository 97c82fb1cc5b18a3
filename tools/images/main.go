// Command images builds the images of the functions and of the programs in Pods. It writes each one as an OCI image layout
// with all platforms, and as an archive for `docker load` with the host's platform. `images push` pushes the written images
// to a registry, and `images pin` writes the digests of images into plugin documents.
//
// An image has one static program (the runtime's has two) and a user. Builds are reproducible: the same commit and the same
// version of Go give the same digests.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "images:", err)
		os.Exit(1)
	}
}

// options has the values of the flags.
type options struct {
	checkout  string
	output    string
	platforms []string
	release   release
}

func run(args []string, stdout, stderr io.Writer) error {
	switch {
	case len(args) > 0 && args[0] == "push":
		return push(args[1:], stdout, stderr)
	case len(args) > 0 && args[0] == "pin":
		return pin(args[1:], stdout, stderr)
	}
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	src := source{root: o.checkout, log: stderr}
	names, err := src.names()
	if err != nil {
		return err
	}
	o.release.names = names
	products, err := src.products()
	if err != nil {
		return err
	}
	staging, err := os.MkdirTemp("", "images-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staging)
	if err := src.build(staging, o.release.version, o.platforms); err != nil {
		return err
	}
	return publish(o, products, staging, stdout)
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	var platforms string
	flags := flag.NewFlagSet("images", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.checkout, "checkout", "../..", "`folder` of the checkout to build")
	flags.StringVar(&o.output, "output", "../../bin/images", "`folder` to write to; images in it are replaced")
	flags.StringVar(&platforms, "platforms", "linux/amd64,linux/arm64", "comma-separated `list` of OS/ARCH")
	flags.StringVar(&o.release.version, "version", "", "`version` to stamp into programs and labels")
	flags.StringVar(&o.release.revision, "revision", "", "git `commit` to label the images with")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.release.version == "" || o.release.revision == "" {
		return o, errors.New("-version and -revision must be set: make images takes them from git")
	}
	for _, platform := range strings.Split(platforms, ",") {
		if system, arch, ok := strings.Cut(platform, "/"); !ok || system != "linux" || arch == "" {
			return o, fmt.Errorf("-platforms: %q must be linux/ARCH, such as linux/amd64", platform)
		}
		o.platforms = append(o.platforms, platform)
	}
	return o, nil
}

// command returns a command whose stderr goes to log.
func command(log io.Writer, folder, name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = folder
	c.Stderr = log
	return c
}
