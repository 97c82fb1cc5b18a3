//go:build plugins && linux

// Package plugins_test holds the plugins against real servers: each is killed at random moments, run many times at once, and run
// while its server fails. `make plugins` runs it.
package plugins_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// passwordVariable is the variable from which testdata/server and testdata/catalog read the administrator's password.
const passwordVariable = "ADMIN_PASSWORD"

// version is a version of the server of a plugin.
type version struct {
	name        string
	environment []string // of the programs in testdata, which start the version that it names
}

// server is a running server of a plugin, in a temporary folder.
type server struct {
	plugin   string
	version  version
	test     v1alpha1.PluginTest
	folder   string
	port     int
	password string // of the administrator, unlike any other text
	command  *exec.Cmd
}

// eachPlugin runs a test for each plugin in PLUGINS, a list with commas, or for all, with each version of its server.
func eachPlugin(t *testing.T, test func(*testing.T, *server)) {
	t.Helper()
	eachVersion(t, func(t *testing.T, plugin string, v version) {
		s := newServer(t, plugin, v)
		s.start(t)
		test(t, s)
	})
}

// eachVersion runs a test with each version of the server of each plugin.
func eachVersion(t *testing.T, test func(t *testing.T, plugin string, v version)) {
	t.Helper()
	files, err := filepath.Glob("*/test.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		plugin := filepath.Dir(file)
		if only := os.Getenv("PLUGINS"); only != "" && !strings.Contains(","+only+",", ","+plugin+",") {
			continue
		}
		for _, v := range versions(t, plugin) {
			t.Run(plugin+"/"+v.name, func(t *testing.T) { test(t, plugin, v) })
		}
	}
}

// versions returns the versions of the server of a plugin: those of this machine's Debian and of the one in SERVER_ROOT; or
// those of Kubernetes that are on the PATH and in OTHER_KUBERNETES, a folder.
func versions(t *testing.T, plugin string) []version {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(plugin, "testdata", "server"))
	require.NoError(t, err)
	for _, variable := range []string{"SERVER_ROOT", "OTHER_KUBERNETES"} {
		if !bytes.Contains(script, []byte(variable)) {
			continue
		}
		found := []version{{serverVersion(t, variable, ""), []string{variable + "="}}}
		if other := os.Getenv(variable); other == "" {
			t.Logf("%s: one version, since %s names no other", plugin, variable)
		} else {
			found = append(found, version{serverVersion(t, variable, other), []string{variable + "=" + other}})
		}
		return found
	}
	t.Logf("%s: one version, since the module proxy has one version of its server, which tools/ pins", plugin)
	return []version{{"module", nil}}
}

// serverVersion names the version that a folder has: the codename of a Debian, or the version of kube-apiserver. Without a folder it
// is that of this machine.
func serverVersion(t *testing.T, variable, folder string) string {
	t.Helper()
	if variable == "SERVER_ROOT" {
		return codename(t, filepath.Join("/", folder))
	}
	command := exec.Command(filepath.Join(folder, "kube-apiserver"), "--version")
	if folder == "" {
		command = exec.Command(filepath.Join(checkout.Root(), "bin", "tools", "kube-apiserver"), "--version")
	}
	text, err := command.Output() // Kubernetes v1.34.3
	require.NoError(t, err)
	return strings.TrimPrefix(strings.TrimSpace(string(text)), "Kubernetes ")
}

// codename returns the name of the Debian in a folder, such as bookworm.
func codename(t *testing.T, root string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "etc", "os-release"))
	require.NoError(t, err)
	name := regexp.MustCompile(`(?m)^VERSION_CODENAME=(\w+)$`).FindSubmatch(text)
	require.NotNil(t, name, "%s must be a Debian", root)
	return string(name[1])
}

// newServer returns a server that is not started.
func newServer(t *testing.T, plugin string, v version) *server {
	t.Helper()
	s := &server{plugin: plugin, version: v, folder: t.TempDir(), port: freePort(t)}
	text, err := os.ReadFile(filepath.Join(plugin, "test.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &s.test))
	random := make([]byte, 16)
	_, err = rand.Read(random)
	require.NoError(t, err)
	s.password = "adm" + hex.EncodeToString(random)
	t.Cleanup(s.kill)
	return s
}

// freePort returns a port from which testdata/server can derive others by subtraction.
func freePort(t *testing.T) int {
	t.Helper()
	for {
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		port := listener.Addr().(*net.TCPAddr).Port
		require.NoError(t, listener.Close())
		if port > 30000 {
			return port
		}
	}
}

// start starts the server, for the first time or with the data that it has, and waits until it answers.
func (s *server) start(t *testing.T) {
	t.Helper()
	program, err := filepath.Abs(filepath.Join(s.plugin, "testdata", "server"))
	require.NoError(t, err)
	s.command = exec.Command(program)
	s.command.Dir = s.folder
	s.command.Env = s.environment("FIXTURE_PORT=" + strconv.Itoa(s.port))
	s.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Cloneflags: syscall.CLONE_NEWPID}
	require.NoError(t, s.command.Start())
	require.Eventually(t, func() bool { _, err := s.list(); return err == nil }, 5*time.Minute, 300*time.Millisecond,
		"the server of %s must answer: %s", s.plugin, s.folder)
}

// kill ends the server without letting it finish, as when its node fails.
func (s *server) kill() {
	if s.command == nil {
		return
	}
	_ = syscall.Kill(-s.command.Process.Pid, syscall.SIGKILL)
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
}

// list returns everything that the server has, as text.
func (s *server) list() (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	command := exec.CommandContext(ctx, filepath.Join(s.plugin, "testdata", "catalog"))
	command.Env = s.environment("SERVER_PORT="+strconv.Itoa(s.port), "SERVER_FOLDER="+s.folder)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) } // its clients may wait for the server
	// A pipeline in the script may hide the failure of a program, but not its output.
	var errors bytes.Buffer
	command.Stderr = &errors
	text, err := command.Output()
	if err != nil || errors.Len() > 0 {
		return "", fmt.Errorf("the catalog of %s: %w: %s", s.plugin, err, errors.String())
	}
	return string(text), nil
}

// catalog returns the result of list, and fails the test if the server does not answer.
func (s *server) catalog(t *testing.T) string {
	t.Helper()
	text, err := s.list()
	require.NoError(t, err)
	return text
}

// environment is that of the programs in testdata.
func (s *server) environment(variables ...string) []string {
	return slices.Concat(environment(), s.version.environment, []string{passwordVariable + "=" + s.password}, variables)
}

// environment is that of this process, with the tools of the checkout first on the PATH.
func environment() []string {
	tools := filepath.Join(checkout.Root(), "bin", "tools")
	return append(os.Environ(), "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
}
