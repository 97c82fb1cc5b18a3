// Package registry starts Debian's docker-registry for tests.
package registry

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// Start starts a registry that stores its files in a folder, on a free port of the loopback device, and returns its host. It
// ends with the test. The test is skipped if docker-registry is not on the PATH.
func Start(t *testing.T, folder string) string {
	t.Helper()
	binary := checkout.Program(t, "docker-registry", "docker-registry")
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	host := listener.Addr().String()
	require.NoError(t, listener.Close())
	config := filepath.Join(t.TempDir(), "config.yml")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, "version: 0.1\nlog: {level: error}\n"+
		"storage: {filesystem: {rootdirectory: %q}}\nhttp: {addr: %q}\n", folder, host), 0o600))
	var output bytes.Buffer
	server := exec.CommandContext(t.Context(), binary, "serve", config)
	server.Stdout, server.Stderr = &output, &output
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
		if t.Failed() {
			t.Log(output.String())
		}
	})
	require.Eventually(t, func() bool { return answers(t, "http://"+host+"/v2/") }, time.Minute, 50*time.Millisecond)
	return host
}

func answers(t *testing.T, url string) bool {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil && response.StatusCode == http.StatusOK
}
