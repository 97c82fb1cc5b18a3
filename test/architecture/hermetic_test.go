package architecture

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// Functions have the same output in an empty network namespace, an empty folder and an empty environment, without programs
// on the PATH.
func TestFunctionsNeedOnlyStdin(t *testing.T) {
	t.Parallel()
	unshare := checkout.Program(t, "unshare", "util-linux")
	if out, err := exec.Command(unshare, "--user", "--map-root-user", "--net", "true").CombinedOutput(); err != nil {
		checkout.LeaveOut(t, "this machine does not allow network namespaces: %s %s", err, out)
	}
	programs := t.TempDir()
	require.NoError(t, checkout.BuildFunctions(programs))
	functions, err := filepath.Glob(filepath.Join(programs, "*"))
	require.NoError(t, err)
	require.NotEmpty(t, functions)
	for _, program := range functions {
		name := filepath.Base(program)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			normal := exec.Command(program)
			normal.Dir = checkout.Root()
			isolated := exec.Command(unshare, "--user", "--map-root-user", "--net", program)
			isolated.Dir, isolated.Env = t.TempDir(), []string{"PATH=/nowhere", "HOME=/nowhere"}
			want, wantErr := onList(t, normal, name)
			got, gotErr := onList(t, isolated, name)
			assert.Equal(t, want, got)
			assert.Equal(t, wantErr, gotErr)
			assert.Contains(t, got, "kind: ResourceList")
		})
	}
}

// onList runs a function on the documents of an example, and returns stdout and stderr.
func onList(t *testing.T, command *exec.Cmd, function string) (stdout, stderr string) {
	t.Helper()
	var list strings.Builder
	list.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	if function != "import-plugin" { // it would need files to read
		for _, file := range []string{"plugin.yaml", "sandbox.yaml"} {
			text, err := os.ReadFile(filepath.Join(checkout.Root(), "examples", "hello-db", file))
			require.NoError(t, err)
			item := strings.TrimSpace(strings.ReplaceAll("\n"+string(text), "\n", "\n  "))
			list.WriteString("- " + item[strings.Index(item, "apiVersion:"):] + "\n")
		}
	} else {
		command.Dir = t.TempDir()
	}
	var out, messages bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(list.String()), &out, &messages
	err := command.Run()
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		require.NoError(t, err)
	}
	return out.String(), messages.String()
}
