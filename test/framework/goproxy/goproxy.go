// Package goproxy creates a module proxy in a folder for tests, with versions of this checkout.
package goproxy

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// Path is the path of this repository's module.
const Path = "github.com/resource-plugins/krm-functions"

// Publish adds a version to the proxy (https://go.dev/ref/mod#goproxy-protocol) with the files of a folder. all are the
// versions that the proxy lists.
func Publish(tb testing.TB, source, proxy, version string, all ...string) {
	tb.Helper()
	folder := filepath.Join(proxy, filepath.FromSlash(Path), "@v")
	require.NoError(tb, os.MkdirAll(folder, 0o755))
	var archive bytes.Buffer
	require.NoError(tb, zip.CreateFromDir(&archive, module.Version{Path: Path, Version: version}, source))
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	require.NoError(tb, err)
	for name, content := range map[string][]byte{
		version + ".zip": archive.Bytes(), version + ".mod": mod, version + ".info": []byte(`{"Version":"` + version + `"}`),
		"list": []byte(strings.Join(append(all, version), "\n") + "\n"),
	} {
		require.NoError(tb, os.WriteFile(filepath.Join(folder, name), content, 0o600))
	}
}

// Environment returns the variables for using the proxy, with a new module cache, so that no version of a test stays on the
// machine. Dependencies come from the machine's cache if possible. -trimpath allows sharing the build cache.
func Environment(tb testing.TB, proxy, cache string) []string {
	tb.Helper()
	env := func(key string) string {
		value, err := exec.Command("go", "env", key).Output()
		require.NoError(tb, err)
		return strings.TrimSpace(string(value))
	}
	proxies := "file://" + proxy + ",file://" + filepath.Join(env("GOMODCACHE"), "cache", "download") + "," + env("GOPROXY")
	return append(os.Environ(), "GOWORK=off", "GOMODCACHE="+cache, "GOFLAGS=-modcacherw -trimpath", "CGO_ENABLED=0",
		"GONOSUMDB="+Path, "GOPROXY="+proxies)
}
