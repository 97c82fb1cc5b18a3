package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tiny is a checkout with one function and the runtime.
const tiny = `
-- go.mod --
module github.com/resource-plugins/krm-functions
go 1.26.0
-- internal/contract/image.go --
package contract

// Names.
const (
	ImageRegistry = "registry.example/plugins"
	ImageTag      = "v9.9.9"
)
-- functions/shout/main.go --
// Command shout is a function that shouts. It does nothing else.
package main

func main() { println("shout") }
-- functions/shout/internal/voice/voice.go --
// Package voice is not a command.
package voice
-- runtime/go.mod --
module github.com/resource-plugins/krm-functions/runtime
go 1.26.0
-- runtime/cmd/manager/main.go --
package main

func main() { println("manager") }
-- runtime/cmd/runner/main.go --
package main

func main() { println("runner") }
-- runtime/cmd/unpacker/main.go --
package main

func main() { println("unpacker") }
`

func checkout(t *testing.T, archive string) string {
	t.Helper()
	folder := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(folder, f.Name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, f.Data, 0o600))
	}
	return folder
}

func TestRunBuildsACheckout(t *testing.T) {
	t.Parallel()
	var printed [2]string
	for i := range printed {
		output := t.TempDir()
		var stdout, stderr strings.Builder
		require.NoError(t, run([]string{"-checkout", checkout(t, tiny), "-output", output, "-platforms", hostPlatform,
			"-version", "v9.9.9", "-revision", "abcd"}, &stdout, &stderr), stderr.String())
		printed[i] = stdout.String()
		for _, name := range []string{"shout", "runtime", "unpacker"} {
			index, err := layout.ImageIndexFromPath(filepath.Join(output, name))
			require.NoError(t, err)
			require.NoError(t, validate.Index(index))
			assert.FileExists(t, filepath.Join(output, name+".tar"))
		}
	}
	assert.Contains(t, printed[0], "registry.example/plugins/shout:v9.9.9@sha256:")
	assert.Equal(t, printed[0], printed[1], "two checkouts in two folders give the same digests")
}

func TestProducts(t *testing.T) {
	t.Parallel()
	products, err := source{root: checkout(t, tiny), log: os.Stderr}.products()
	require.NoError(t, err)
	assert.Equal(t, []product{runtimeProduct, unpackerProduct, functionProduct("shout", "a function that shouts")}, products)
}

func TestBrokenSource(t *testing.T) {
	t.Parallel()
	broken := strings.Replace(tiny, `println("shout")`, `printline("shout")`, 1)
	output := t.TempDir()
	var stdout, stderr strings.Builder
	err := run([]string{"-checkout", checkout(t, broken), "-output", output, "-platforms", hostPlatform,
		"-version", "v9.9.9", "-revision", "abcd"}, &stdout, &stderr)
	require.ErrorContains(t, err, "go build ./functions/... for "+hostPlatform)
	assert.Contains(t, stderr.String(), "undefined: printline")
	assert.Empty(t, stdout.String())
	assert.Empty(t, files(t, output))
}

func TestNamesMustBeLiterals(t *testing.T) {
	t.Parallel()
	computed := strings.Replace(tiny, `"v9.9.9"`, `"v9" + ".9.9"`, 1)
	_, err := source{root: checkout(t, computed)}.names()
	require.ErrorContains(t, err, "ImageRegistry and ImageTag must be constants with a string literal each")
	_, err = source{root: t.TempDir()}.names()
	require.ErrorIs(t, err, os.ErrNotExist)
}

// The published names are those in this checkout.
func TestNamesOfTheCheckout(t *testing.T) {
	t.Parallel()
	n, err := source{root: filepath.Join("..", "..")}.names()
	require.NoError(t, err)
	assert.Regexp(t, `^ghcr\.io/[a-z-]+/runtime:v\d+\.\d+\.\d+$`, n.reference("runtime"))
}

func TestFlags(t *testing.T) {
	t.Parallel()
	given := []string{"-version", "v1", "-revision", "abcd"}
	for args, want := range map[string]string{
		"here":                   `unexpected argument "here"`,
		"-platforms linux":       `-platforms: "linux" must be linux/ARCH, such as linux/amd64`,
		"-platforms windows/arm": `-platforms: "windows/arm" must be linux/ARCH, such as linux/amd64`,
		"-platforms linux/,":     `-platforms: "linux/" must be linux/ARCH, such as linux/amd64`,
		"-revision=":             "-version and -revision must be set: make images takes them from git",
		"-what":                  "flag provided but not defined: -what",
	} {
		err := run(append(given, strings.Fields(args)...), &strings.Builder{}, &strings.Builder{})
		require.EqualError(t, err, want, args)
	}
}
