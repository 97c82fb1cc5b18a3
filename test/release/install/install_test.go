// Package install tests that `go install MODULE/…@VERSION` installs the commands of that version.
package install

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/goproxy"
)

// marker is only in the second version, in a package of every program: all packages must have the requested version.
const marker = "package cli\n\nfunc init() { println(\"marked\") }\n"

func TestGoInstall(t *testing.T) {
	t.Parallel()
	source, proxy := t.TempDir(), t.TempDir()
	require.NoError(t, checkout.Copy(source))
	goproxy.Publish(t, source, proxy, "v0.1.0")
	require.NoError(t, os.WriteFile(filepath.Join(source, "internal", "cli", "marker.go"), []byte(marker), 0o600))
	goproxy.Publish(t, source, proxy, "v0.2.0-test", "v0.1.0")
	cache := t.TempDir()
	for _, version := range []string{"v0.1.0", "v0.2.0-test"} {
		bin := t.TempDir()
		goRun(t, bin, cache, proxy, "install", goproxy.Path+"/functions/...@"+version, goproxy.Path+"/cmd/...@"+version)
		programs, err := os.ReadDir(bin)
		require.NoError(t, err)
		require.Len(t, programs, len(commands(t)))
		for _, program := range programs {
			run := exec.Command(filepath.Join(bin, program.Name()), "--version")
			var stderr bytes.Buffer
			run.Stderr = &stderr
			out, err := run.Output()
			require.NoError(t, err)
			assert.Equal(t, program.Name()+" "+version+"\n", string(out))
			assert.Equal(t, version == "v0.2.0-test", strings.Contains(stderr.String(), "marked"), program.Name())
		}
	}
}

// commands returns the folders of all commands.
func commands(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"functions/*/main.go", "cmd/*/main.go"} {
		found, err := filepath.Glob(filepath.Join(checkout.Root(), pattern))
		require.NoError(t, err)
		all = append(all, found...)
	}
	return all
}

// goRun runs go with the proxy.
func goRun(t *testing.T, bin, cache, proxy string, args ...string) {
	t.Helper()
	command := exec.Command("go", args...)
	command.Dir, command.Env = t.TempDir(), append(goproxy.Environment(t, proxy, cache), "GOBIN="+bin)
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
