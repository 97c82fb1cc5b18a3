//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// timeout limits the wait for expected events. A busy machine is a hundred times slower than an idle one.
const timeout = 20 * time.Minute

// kubectl runs kubectl in the version of the node as administrator.
func kubectl(stdin string, arguments ...string) (string, error) {
	stdout, _, err := kubectlWarns(stdin, arguments...)
	return stdout, err
}

// kubectlWarns also returns stderr, which has the warnings of the API server.
func kubectlWarns(stdin string, arguments ...string) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	config := []string{"--kubeconfig", filepath.Join(suite.node, "kubeconfig")}
	return execute(exec.CommandContext(ctx, suite.kubectl, append(config, arguments...)...), stdin)
}

// nodeScript runs a script of test/cluster/node.
func nodeScript(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	script := exec.Command(filepath.Join(checkout.Root(), "test", "cluster", "node", name), arguments...)
	stdout, _, err := execute(script, "")
	require.NoError(t, err)
	return strings.TrimSpace(stdout)
}

func execute(command *exec.Cmd, stdin string) (stdout, stderr string, err error) {
	var out, errors bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &out, &errors
	if err = command.Run(); err != nil {
		err = fmt.Errorf("%s: %w: %s", filepath.Base(command.Path), err, errors.String())
	}
	return out.String(), errors.String(), err
}

// must runs kubectl and fails the test if it fails.
func must(t *testing.T, stdin string, arguments ...string) string {
	t.Helper()
	stdout, err := kubectl(stdin, arguments...)
	require.NoError(t, err)
	return stdout
}

// list reads the objects of a kind in a namespace.
func list[T any](namespace, kind string, arguments ...string) ([]T, error) {
	out, err := kubectl("", append([]string{"get", kind, "--namespace", namespace, "-o", "json"}, arguments...)...)
	if err != nil {
		return nil, err
	}
	var found struct{ Items []T }
	return found.Items, json.Unmarshal([]byte(out), &found)
}

// eventually calls missing every second until it returns "" and no error. The text describes the condition that is not met
// yet.
func eventually(t *testing.T, missing func() (string, error)) {
	t.Helper()
	var last string
	for end := time.Now().Add(timeout); time.Now().Before(end); time.Sleep(time.Second) {
		what, err := missing()
		if err == nil && what == "" {
			return
		}
		last = fmt.Sprint(what, " ", err)
		skipUnlessTimeLeft(t, 0, last)
	}
	require.FailNow(t, "timed out waiting for "+last)
}
