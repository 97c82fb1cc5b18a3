package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// preview is a copy of examples/pull-requests/preview whose kubectl is a script that records its calls.
type preview struct {
	folder, calls string
}

// newPreview returns one of a cluster with the environments of pull requests 42 and 43. Answers are the lines of a shell's case
// statement for the arguments of kubectl.
func newPreview(t *testing.T, answers string) preview {
	t.Helper()
	p := preview{folder: t.TempDir()}
	p.calls = filepath.Join(p.folder, "calls")
	script, err := os.ReadFile(filepath.Join(checkout.Root(), "examples", "pull-requests", "preview"))
	require.NoError(t, err)
	for name, text := range map[string]string{
		"preview": string(script),
		"rplug":   "#!/bin/sh\n",
		"kubectl": "#!/bin/sh\necho \"$*\" >> '" + p.calls + "'\ncase \"$*\" in\n" + answers + "\n" +
			"'get namespaces'*) printf 'namespace/%s\\n' shop-pr-42 shop-pr-43 shop-pr-4x other-pr-44 ;;\n'get configmaps'*) printf a2luZDogTGlzdAo= | base64 -d | gzip | base64 -w 0 ;;\nesac\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(p.folder, name), []byte(text), 0o700)) //nolint:gosec // a program
	}
	return p
}

// run runs the script in another folder than its own, and returns the calls of kubectl, stderr and the error.
func (p preview) run(t *testing.T, folder string, arguments ...string) (calls, stderr string, err error) {
	t.Helper()
	command := p.command(folder, arguments...)
	var messages strings.Builder
	command.Stderr = &messages
	err = command.Run()
	text, missing := os.ReadFile(p.calls)
	if !os.IsNotExist(missing) {
		require.NoError(t, missing)
	}
	return string(text), messages.String(), err
}

func (p preview) command(folder string, arguments ...string) *exec.Cmd {
	command := exec.Command(filepath.Join(p.folder, "preview"), arguments...)
	command.Dir, command.Env = folder, append(os.Environ(), "PATH="+p.folder+":"+os.Getenv("PATH"))
	return command
}

// A close deletes nothing but the Deployments unless the delete phase of the cluster was read and is complete.
func TestPreview_closeKeepsWhatItCannotTearDown(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string]string{
		"the cluster does not answer":   "'get configmaps'*) echo 'connection refused' >&2; exit 1 ;;",
		"a delete phase is damaged":     "'get configmaps'*) echo 'not base64!' ;;",
		"it cannot be applied":          "'apply'*) exit 1 ;;",
		"no delete phase, but a Secret": "'get configmaps'*) ;;\n'get secrets'*) echo secret/db-provision ;;",
	} {
		calls, stderr, err := newPreview(t, answers).run(t, t.TempDir(), "close", "42")
		require.Error(t, err, name)
		assert.NotEmpty(t, stderr+calls, name)
		assert.NotContains(t, calls, "delete jobs", name)
		assert.NotContains(t, calls, "delete namespace", name)
	}
	calls, stderr, err := newPreview(t, "").run(t, t.TempDir(), "close", "42")
	require.NoError(t, err, stderr)
	assert.Regexp(t, `(?s)apply -f .*delete jobs,.*delete namespace shop-pr-42 `, calls)
	calls, stderr, err = newPreview(t, "'get configmaps'*) ;;").run(t, t.TempDir(), "close", "42")
	require.NoError(t, err, stderr)
	assert.Regexp(t, `delete namespace shop-pr-42 `, calls, "it was closed before, up to the namespace")
}

// The environments of another project in the cluster, which has another prefix, are not listed.
func TestPreview_listsItsOwn(t *testing.T) {
	t.Parallel()
	p := newPreview(t, "")
	command := p.command(t.TempDir(), "list")
	out, err := command.Output()
	require.NoError(t, err)
	assert.Equal(t, "42\n43\n", string(out))
	_, stderr, err := newPreview(t, "'get namespaces'*) exit 1 ;;").run(t, t.TempDir(), "list")
	assert.Error(t, err, stderr)
}

// A sweep closes nothing unless it has read a file of numbers; the file is one of the folder that it is called in.
func TestPreview_sweepNeedsTheList(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"no file": "", "an error": "HTTP 502: Bad Gateway\n", "JSON": "[{\"number\": 42}]\n"} {
		p, folder := newPreview(t, ""), t.TempDir()
		if text != "" {
			require.NoError(t, os.WriteFile(filepath.Join(folder, "open.txt"), []byte(text), 0o600))
		}
		calls, stderr, err := p.run(t, folder, "sweep", "open.txt")
		require.Error(t, err, name)
		assert.Contains(t, stderr, "open.txt", name)
		assert.NotContains(t, calls, "delete", name)
	}
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "open.txt"), []byte("41\n43\n"), 0o600))
	calls, stderr, err := newPreview(t, "").run(t, folder, "sweep", "open.txt")
	require.NoError(t, err, stderr)
	assert.Contains(t, calls, "delete namespace shop-pr-42")
	assert.NotContains(t, calls, "shop-pr-43", "it is open")

	// The environment of a pull request that is opened after the environments were listed stays.
	for name, text := range map[string]string{"open.txt": "", "environments.txt": "43\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	calls, stderr, err = newPreview(t, "").run(t, folder, "sweep", "open.txt", "environments.txt")
	require.NoError(t, err, stderr)
	assert.Contains(t, calls, "delete namespace shop-pr-43")
	assert.NotContains(t, calls, "shop-pr-42")

	calls, _, err = newPreview(t, "*'deployments --all --namespace shop-pr-42'*) exit 1 ;;").run(t, t.TempDir(), "sweep", "/dev/null")
	require.Error(t, err, "one could not be closed")
	assert.Contains(t, calls, "delete namespace shop-pr-43", "and the next one is")
}

// Steps that have failed run again when the pull request is opened again.
func TestPreview_openRunsFailedStepsAgain(t *testing.T) {
	t.Parallel()
	p := newPreview(t, "'get jobs'*) echo databases shop-pr-42-check; echo databases shop-pr-42-seed ;;")
	calls, stderr, err := p.run(t, t.TempDir(), "open", "42")
	require.NoError(t, err, stderr)
	deleted := strings.Index(calls, "delete job shop-pr-42-check --namespace databases\ndelete job shop-pr-42-seed --namespace databases\n")
	assert.Positive(t, deleted, calls)
	assert.Greater(t, strings.Index(calls, "apply -f /"), deleted, calls)
}
