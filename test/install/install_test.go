// Package install tests that `go install MODULE/…@VERSION` gives a stranger the commands of that version.
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
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/resource-plugins/krm-functions/test/checkout"
)

const path = "github.com/resource-plugins/krm-functions"

// marker is in the second version alone: every package must be of the version that was asked for.
const marker = "package function\n\nfunc init() { println(\"marked\") }\n"

func TestGoInstall(t *testing.T) {
	t.Parallel()
	source, proxy := t.TempDir(), t.TempDir()
	require.NoError(t, checkout.Copy(source))
	publish(t, source, proxy, "v0.1.0")
	require.NoError(t, os.WriteFile(filepath.Join(source, "internal", "function", "marker.go"), []byte(marker), 0o600))
	publish(t, source, proxy, "v0.2.0-test")
	cache := t.TempDir()
	for _, version := range []string{"v0.1.0", "v0.2.0-test"} {
		bin := t.TempDir()
		goRun(t, bin, cache, proxy, "install", path+"/functions/...@"+version, path+"/cmd/...@"+version)
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

// publish adds a version to a module proxy in a folder (https://go.dev/ref/mod#goproxy-protocol).
func publish(t *testing.T, source, proxy, version string) {
	t.Helper()
	folder := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	var archive bytes.Buffer
	require.NoError(t, zip.CreateFromDir(&archive, module.Version{Path: path, Version: version}, source))
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	require.NoError(t, err)
	for name, content := range map[string][]byte{
		version + ".zip": archive.Bytes(), version + ".mod": mod, version + ".info": []byte(`{"Version":"` + version + `"}`),
		"list": []byte("v0.1.0\nv0.2.0-test\n"),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), content, 0o600))
	}
}

// goRun runs go with a module cache of its own, so that no version of this test stays on the machine. Dependencies come
// from the machine's cache where it has them. -trimpath lets the build cache be shared.
func goRun(t *testing.T, bin, cache, proxy string, args ...string) {
	t.Helper()
	env := func(key string) string {
		value, err := exec.Command("go", "env", key).Output()
		require.NoError(t, err)
		return strings.TrimSpace(string(value))
	}
	command := exec.Command("go", args...)
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), "GOWORK=off", "GOBIN="+bin, "GOMODCACHE="+cache, "GOFLAGS=-modcacherw -trimpath",
		"CGO_ENABLED=0", "GONOSUMDB="+path, "GOPROXY=file://"+proxy+",file://"+
			filepath.Join(env("GOMODCACHE"), "cache", "download")+","+env("GOPROXY"))
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
