//go:build plugins && linux

package plugins_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// sandbox runs the phases of the plugin for one sandbox, with rplug run.
type sandbox struct {
	server *server
	name   string
	folder string // with its documents and its state
}

// newSandbox writes the documents of a sandbox with the params of the first case of the test.
func (s *server) newSandbox(t *testing.T, name, password string) *sandbox {
	t.Helper()
	b := &sandbox{server: s, name: name, folder: t.TempDir()}
	var documents bytes.Buffer
	add := func(document any) {
		text, err := yaml.Marshal(document)
		require.NoError(t, err)
		documents.WriteString("---\n")
		documents.Write(text)
	}
	for _, secret := range s.test.Spec.Secrets {
		data := map[string]string{}
		for key, value := range secret.Data {
			if value == s.test.Spec.Fixtures[0].Env[passwordVariable] {
				value = password
			}
			data[key] = value
		}
		for _, value := range secret.FixtureData {
			data[value.Name] = map[string]string{"host": "127.0.0.1", "port": strconv.Itoa(s.port)}[string(value.Field)]
		}
		add(corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Name: secret.Name}, StringData: data,
		})
	}
	add(map[string]any{
		"apiVersion": "resourceplugins.dev/v1alpha1", "kind": "Sandbox", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"cluster": "test", "resources": []any{map[string]any{
			"name": "data", "plugin": s.test.Spec.Plugin, "params": s.test.Spec.Cases[0].Params,
		}}},
	})
	require.NoError(t, os.WriteFile(filepath.Join(b.folder, "documents.yaml"), documents.Bytes(), 0o600))
	return b
}

// result is the output of a run of a phase.
type result struct {
	err          error
	printed, log string
}

// run runs a phase. After a time from the start of its first step it is killed with all its processes, unless that is negative.
func (b *sandbox) run(t *testing.T, phase string, killAfter time.Duration) result {
	t.Helper()
	plugin, err := filepath.Abs(b.server.plugin)
	require.NoError(t, err)
	arguments := []string{
		"run", b.server.plugin, filepath.Join(plugin, "plugin.yaml"), "documents.yaml", "--sandbox", b.name, "--engine", "process",
		"--phase", phase, "--logs", "--show-outputs",
	}
	if migrations := filepath.Join(plugin, "testdata", "migrations.yaml"); exists(migrations) {
		arguments = append(arguments, migrations)
	}
	command := exec.Command(filepath.Join(checkout.Root(), "bin", "rplug"), arguments...)
	command.Dir, command.Env = b.folder, environment()
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	var printed bytes.Buffer
	command.Stdout = &printed
	progress, err := command.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	log := follow(progress, func() {
		if killAfter >= 0 {
			time.AfterFunc(killAfter, func() { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) })
		}
	})
	err = command.Wait()
	return result{err, printed.String(), log}
}

// follow returns the text that is read, and calls a function at the first line that reports a running step.
func follow(progress io.Reader, started func()) string {
	var log strings.Builder
	var once sync.Once
	for lines := bufio.NewScanner(progress); lines.Scan(); {
		log.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(lines.Text(), "running") {
			once.Do(started)
		}
	}
	return log.String()
}

// must runs a phase, which must succeed.
func (b *sandbox) must(t *testing.T, phase string) result {
	t.Helper()
	got := b.run(t, phase, -1)
	require.NoError(t, got.err, "%s of %s: %s", phase, b.name, got.log)
	return got
}

var outputRow = regexp.MustCompile(`(?m)^\S+/provision\.(\S+) +(\S+)$`)

// outputs returns the outputs of the step provision.
func (r result) outputs() map[string]string {
	outputs := map[string]string{}
	for _, row := range outputRow.FindAllStringSubmatch(r.printed, -1) {
		outputs[row[1]] = row[2]
	}
	return outputs
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
