package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed functions.yaml
var functionsFile []byte

// function is an entry of functions.yaml.
type function struct {
	Name string `yaml:"name"`
	// Module, Version and Package are a Go program of another project. Package is relative to the module; the default is ".".
	Module  string `yaml:"module"`
	Version string `yaml:"version"`
	Package string `yaml:"package"`
	// Local is a package of this module, which runs the code of the module Pins.
	Local string `yaml:"local"`
	Pins  string `yaml:"pins"`
	// Builtin is the kind of a builtin plugin of kustomize.
	Builtin string `yaml:"builtin"`
	// Node is a folder with a package.json and a program noop.js.
	Node string `yaml:"node"`
	// Profile, Config, Items, Invalid and Skip are the flags of krm-conformance.
	Profile string            `yaml:"profile"`
	Config  string            `yaml:"config"`
	Items   string            `yaml:"items"`
	Invalid string            `yaml:"invalid"`
	Skip    map[string]string `yaml:"skip"`
}

func readFunctions() ([]*function, error) {
	var functions []*function
	if err := yaml.Unmarshal(functionsFile, &functions); err != nil {
		return nil, err
	}
	for _, f := range functions {
		if f.Profile == "" {
			f.Profile = "transformer"
		}
		if f.Builtin != "" {
			f.Local, f.Pins = "./kustomizebuiltin", "sigs.k8s.io/kustomize/api"
			if f.Config != "" {
				f.Config = "apiVersion: builtin\nkind: " + f.Builtin + "\n" + f.Config
			}
		}
	}
	return functions, nil
}

// source names the code that is tested, with its version.
func (f *function) source() string { return f.Module + "@" + f.Version }

// builder builds functions into a folder.
type builder struct{ folder string }

// build returns the command line of a function, and completes its module and version.
func (b *builder) build(f *function) ([]string, error) {
	if err := os.MkdirAll(b.folder, 0o755); err != nil {
		return nil, err
	}
	switch {
	case f.Node != "":
		return b.buildNode(f)
	case f.Local != "":
		return b.buildLocal(f)
	}
	return b.buildModule(f)
}

// buildModule builds a program from a copy of its module, with the versions of that module's go.mod: "go install" needs the
// list of all versions, which some module proxies do not have.
func (b *builder) buildModule(f *function) ([]string, error) {
	download, err := output("", "go", "mod", "download", "-json", f.source())
	if err != nil {
		return nil, err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(download, &module); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "foreign-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if err := os.CopyFS(folder, os.DirFS(module.Dir)); err != nil {
		return nil, err
	}
	program := filepath.Join(b.folder, f.Name)
	if f.Package == "" {
		f.Package = "."
	}
	// -mod=mod completes a go.sum that was written for an older Go.
	_, err = output(folder, "go", "build", "-mod=mod", "-trimpath", "-o", program, f.Package)
	return []string{program}, err
}

func (b *builder) buildLocal(f *function) ([]string, error) {
	version, err := output("", "go", "list", "-m", "-f", "{{.Version}}", f.Pins)
	if err != nil {
		return nil, err
	}
	f.Module, f.Version = f.Pins, strings.TrimSpace(string(version))
	program := filepath.Join(b.folder, filepath.Base(f.Local))
	if _, err := output("", "go", "build", "-trimpath", "-o", program, f.Local); err != nil {
		return nil, err
	}
	if f.Builtin != "" {
		return []string{program, f.Builtin}, nil
	}
	return []string{program}, nil
}

func (b *builder) buildNode(f *function) ([]string, error) {
	folder := filepath.Join(b.folder, f.Node)
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	if err := os.CopyFS(folder, os.DirFS(f.Node)); err != nil {
		return nil, err
	}
	if _, err := output(folder, "npm", "ci", "--ignore-scripts"); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		return nil, err
	}
	var manifest struct{ Dependencies map[string]string }
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, err
	}
	f.Module, f.Version = "kpt-functions", manifest.Dependencies["kpt-functions"]
	return []string{"node", filepath.Join(folder, "noop.js")}, nil
}

// output runs a command in a folder and returns its stdout. Go modules are built outside of any workspace.
func output(folder string, args ...string) ([]byte, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return out, fmt.Errorf("%s: %w: %s%s", strings.Join(args, " "), err, out, exit.Stderr)
	}
	return out, err
}
