// Command crossplane is the oracle of stacks/v010: it runs crossplane v0.10.0's own code. It reads one JSON
// object a line, each a package, and answers each with a line; with the argument "types" it prints Go types instead.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crossplane/crossplane-runtime/pkg/logging"
	"github.com/crossplane/crossplane/pkg/stacks"
	"github.com/crossplane/crossplane/pkg/stacks/walker"
	"github.com/spf13/afero"
)

// request is a package and how to unpack it.
type request struct {
	Files                         map[string][]byte // by their path below the folder .registry
	Scope, Image, TemplatingImage string
}

// response is the output of v0.10.0, and the error that it ended with.
type response struct {
	Output []byte
	Error  string
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 1 && args[0] == "types" {
		return printTypes(os.Stdout)
	}
	out := json.NewEncoder(os.Stdout)
	in := json.NewDecoder(bufio.NewReader(os.Stdin))
	for in.More() {
		var r request
		if err := in.Decode(&r); err != nil {
			return err
		}
		answer, err := unpack(r)
		if err != nil {
			return err
		}
		if err := out.Encode(answer); err != nil {
			return err
		}
	}
	return nil
}

// unpack writes the package to a temporary folder, and unpacks it as `crossplane stack unpack` does.
func unpack(r request) (response, error) {
	dir, err := os.MkdirTemp("", "crossplane")
	if err != nil {
		return response{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Mkdir(filepath.Join(dir, ".registry"), 0o755); err != nil {
		return response{}, err
	}
	for name, content := range r.Files {
		file := filepath.Join(dir, ".registry", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return response{}, err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return response{}, err
		}
	}
	if err := os.Chdir(dir); err != nil {
		return response{}, err
	}
	if err := os.Setenv(stacks.StackImageEnv, r.Image); err != nil {
		return response{}, err
	}
	var out strings.Builder
	rd := &walker.ResourceDir{Base: ".registry", Walker: afero.Afero{Fs: afero.NewOsFs()}}
	err = stacks.Unpack(rd, &out, rd.Base, r.Scope, r.TemplatingImage, logging.NewNopLogger())
	if err != nil {
		return response{Error: err.Error()}, nil
	}
	return response{Output: []byte(out.String())}, nil
}
