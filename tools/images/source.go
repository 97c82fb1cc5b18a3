package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// source is the checkout that images are built from.
type source struct {
	root string
	log  io.Writer // stderr of the go command
}

// names has the registry and the tag of the images, registry/NAME:tag.
type names struct{ registry, tag string }

func (n names) reference(image string) string { return n.registry + "/" + image + ":" + n.tag }

// imageConstant matches the constants of internal/contract/image.go, which the renderer uses, too.
var imageConstant = regexp.MustCompile(`(?m)^\t(ImageRegistry|ImageTag)\s+= "([^"]+)"$`)

// names reads the registry and the tag from the checkout.
func (s source) names() (names, error) {
	file := filepath.Join(s.root, "internal", "contract", "image.go")
	text, err := os.ReadFile(file)
	if err != nil {
		return names{}, err
	}
	values := map[string]string{}
	for _, match := range imageConstant.FindAllStringSubmatch(string(text), -1) {
		values[match[1]] = match[2]
	}
	n := names{registry: values["ImageRegistry"], tag: values["ImageTag"]}
	if n.registry == "" || n.tag == "" {
		return n, fmt.Errorf("%s: ImageRegistry and ImageTag must be constants with a string literal each", file)
	}
	return n, nil
}

// products returns the images to build: one for each function that the go command lists, and the images of programs in Pods.
func (s source) products() ([]product, error) {
	const mains = `{{if eq .Name "main"}}{{.ImportPath}} {{.Doc}}{{end}}`
	list := command(s.log, s.root, "go", "list", "-f", mains, "./functions/...")
	list.Env = buildEnvironment("linux", "amd64")
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	products := []product{runtimeProduct, unpackerProduct}
	for line := range strings.Lines(string(out)) {
		importPath, synopsis, _ := strings.Cut(strings.TrimSpace(line), " ")
		name := path.Base(importPath)
		products = append(products, functionProduct(name, description(name, synopsis)))
	}
	return products, nil
}

// description returns the synopsis of a command's package comment without "Command NAME is".
func description(name, synopsis string) string {
	return strings.TrimPrefix(strings.TrimSuffix(synopsis, "."), "Command "+name+" is ")
}

// build builds the programs for each platform into staging/PLATFORM.
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

// buildEnvironment returns the environment with fixed values for all settings that affect the bytes of a program.
func buildEnvironment(system, arch string) []string {
	return append(os.Environ(), "GOWORK=off", "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=",
		"GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
}
