package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// source is a checkout that images are built from.
type source struct {
	root string
	log  io.Writer // what the go command says
}

// names are what the checkout calls the images: registry/NAME:tag.
type names struct{ registry, tag string }

func (n names) reference(image string) string { return n.registry + "/" + image + ":" + n.tag }

// names reads the constants of internal/contract, which the renderer shares.
func (s source) names() (names, error) {
	file := filepath.Join(s.root, "pkg", "contract", "image.go")
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return names{}, err
	}
	n := names{registry: literal(tree, "ImageRegistry"), tag: literal(tree, "ImageTag")}
	if n.registry == "" || n.tag == "" {
		return n, fmt.Errorf("%s: ImageRegistry and ImageTag must be constants with a string literal each", file)
	}
	return n, nil
}

// literal returns the value of a string constant of the file, "" without it.
func literal(file *ast.File, name string) (value string) {
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || len(spec.Values) != 1 || spec.Names[0].Name != name {
			return true
		}
		if basic, ok := spec.Values[0].(*ast.BasicLit); ok && basic.Kind == token.STRING {
			value, _ = strconv.Unquote(basic.Value)
		}
		return false
	})
	return value
}

// products lists the images to make: one a function, as the go command finds them, and the runtime.
func (s source) products() ([]product, error) {
	list := command(s.log, s.root, "go", "list", "-json=Name,Doc,ImportPath,Module", "./functions/...")
	list.Env = buildEnvironment("off", "linux", "amd64")
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	products := []product{runtimeProduct}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ Name, Doc, ImportPath string }
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return products, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if name := path.Base(p.ImportPath); p.Name == "main" {
			products = append(products, functionProduct(name, description(name, p.Doc)))
		}
	}
}

// description is the synopsis of a command's package comment without its first words.
func description(name, synopsis string) string {
	return strings.TrimPrefix(strings.TrimSuffix(synopsis, "."), "Command "+name+" is ")
}

// build writes the static programs of each platform to staging/PLATFORM.
func (s source) build(staging, version string, platforms []string) error {
	for _, platform := range platforms {
		system, arch, _ := strings.Cut(platform, "/")
		folder := filepath.Join(staging, system, arch)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		for _, part := range []struct{ module, packages string }{
			{".", "./functions/..."},
			{"runtime", "./cmd/..."},
		} {
			build := command(s.log, filepath.Join(s.root, part.module), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags",
				"-s -w -buildid= -X "+versionVariable+"="+version, "-o", folder+string(filepath.Separator), part.packages)
			build.Env = buildEnvironment(system, arch)
			build.Stdout = s.log
			if err := build.Run(); err != nil {
				return fmt.Errorf("go build %s for %s: %w", part.packages, platform, err)
			}
		}
	}
	return nil
}

const versionVariable = "github.com/resource-plugins/krm-functions/internal/cli.Version"

// buildEnvironment is the process's own with all settled that would change the bytes of a program.
func buildEnvironment(system, arch string) []string {
	return append(os.Environ(), "GOWORK=off", "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=",
		"GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
}
