//go:build e2e && unix

package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/commands/local/localrun/container"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/docker"
)

// engineImage has this machine's static busybox and bash.
const engineImage = "rplug.test/ended:1"

// slow is a plugin whose steps run as long as a test lets them, and a test with a fixture. Only this test uses its marks.
const slow = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata: {name: slow@1.0.0}
spec:
  runner:
    image: ` + engineImage + `
    podTemplateOverlay: |
      spec:
        terminationGracePeriodSeconds: 1
        containers: [{name: main, volumeMounts: [{name: cache, mountPath: /cache}]}]
        volumes: [{name: cache, emptyDir: {}}]
  create:
  - name: one
    script: |
      #!/bin/sh
      mkdir -p /outputs
      echo 1 > /outputs/x
    outputs: [{name: x, valueFromPath: /outputs/x}]
  - name: two
    inputs: [{name: x, valueFromStep: {name: one, output: x}, as: {path: /in/x}}]
    script: |
      #!/bin/sh
      trap '' TERM INT
      cat /in/x
      sleep SECONDS & wait
  - name: three
    script: |
      #!/bin/sh
      sleep SECONDS
---
apiVersion: resourceplugins.dev/v1alpha1
kind: PluginTest
metadata: {name: slow}
spec:
  plugin: slow
  skip: [create-after-kill, delete-after-half-create, create-twice]
  fixtures: [{name: server, image: ` + engineImage + `, command: [sleep, "1000"], ready: ["true"]}]
  cases: [{name: one}, {name: two}]
`

// left are the remains of rplug processes: containers, networks, and volumes of the containers.
type left struct{ containers, networks, volumes []string }

func (l left) isEmpty() bool { return len(l.containers)+len(l.networks) == 0 }

// leftBy returns the remains of a process.
func leftBy(t *testing.T, program string, process int) (found left) {
	t.Helper()
	of := func(mark string) bool {
		parts := strings.Split(mark, ".")
		return len(parts) == 4 && parts[1] == strconv.Itoa(process)
	}
	list := func(format string, arguments, inspect []string) (names []string) {
		out, err := exec.Command(program, append(arguments, "--quiet", "--filter", "label="+localrun.LabelOwner)...).Output()
		require.NoError(t, err)
		for _, id := range strings.Fields(string(out)) {
			out, _ := exec.Command(program, append(inspect, "--format", format, id)...).Output() // it may no longer exist
			if words := strings.Fields(string(out)); len(words) > 0 && of(words[0]) {
				names = append(names, id)
				found.volumes = append(found.volumes, words[1:]...)
			}
		}
		return names
	}
	found.containers = list(`{{index .Config.Labels "`+localrun.LabelOwner+`"}}{{range .Mounts}} {{.Name}}{{end}}`,
		[]string{"ps", "--all"}, []string{"inspect", "--type", "container"})
	found.networks = list(`{{index .Labels "`+localrun.LabelOwner+`"}}`, []string{"network", "ls"}, []string{"network", "inspect"})
	return found
}

// processesIn returns the processes that use a test's folder for temporary files: rplug, and its child processes.
func processesIn(t *testing.T, temporary string) (found []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && bytes.Contains(text, []byte("TMPDIR="+temporary+"\x00")) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

// filesIn returns the temporary files of a test.
func filesIn(t *testing.T, folder, temporary string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(temporary, "*"))
	require.NoError(t, err)
	more, err := filepath.Glob(filepath.Join(folder, ".rplug", "rplug-*"))
	require.NoError(t, err)
	return append(found, more...)
}

// Whichever signal ends rplug while containers run, no container, network, volume, process or temporary file remains. After
// SIGKILL the next rplug removes them.
func TestContainersAreRemovedAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, program := range container.Programs() {
		if err := docker.Shell(program, engineImage, t.TempDir()); err != nil {
			t.Run(program, func(t *testing.T) { checkout.LeaveOut(t, "%s cannot run containers: %.200v", program, err) })
			continue
		}
		for _, command := range []string{"run", "test"} {
			for name, by := range map[string]syscall.Signal{"kill": syscall.SIGKILL, "interrupt": syscall.SIGINT, "terminate": syscall.SIGTERM} {
				t.Run(program+" "+command+" "+name, func(t *testing.T) {
					t.Parallel()
					random := checkout.Random(t)
					for round := range checkout.Rounds(2) {
						delay := time.Duration(random.IntN(4000)) * time.Millisecond
						endOnce(t, program, command, by, round == 0, delay)
					}
				})
			}
		}
	}
}

// endOnce ends rplug with a signal while steps run, or after a delay.
func endOnce(t *testing.T, program, command string, by syscall.Signal, whileRunning bool, delay time.Duration) {
	t.Helper()
	folder, temporary := t.TempDir(), t.TempDir()
	write := func(seconds string) {
		text := strings.ReplaceAll(slow, "SECONDS", seconds)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "plugin.yaml"), []byte(text), 0o600))
	}
	args := []string{"run", "slow", "--engine", program, "--network", "none"}
	least := 2 // containers while steps run
	if command == "test" {
		args, least = []string{"test", "--engine", program, "--parallel", "2"}, 4
	}
	write("1000")
	ended := start(t, folder, []string{"TMPDIR=" + temporary}, args...)
	process := ended.Process.Pid
	var before left
	if whileRunning {
		require.Eventually(t, func() bool {
			before = leftBy(t, program, process)
			return len(before.containers) >= least
		}, 3*time.Minute, 50*time.Millisecond)
	} else {
		time.Sleep(delay)
		before = leftBy(t, program, process)
	}
	endAll(t, ended, by)
	if by == syscall.SIGKILL {
		now := leftBy(t, program, process)
		before.volumes = append(before.volumes, now.volumes...)
		write("0")
		again := exec.CommandContext(t.Context(), "rplug", args...)
		again.Dir, again.Env = folder, append(os.Environ(), "TMPDIR="+temporary)
		out, err := again.CombinedOutput()
		require.NoError(t, err, string(out))
	} else if whileRunning {
		assert.Equal(t, 128+int(by), ended.ProcessState.ExitCode())
	}
	// A process of another test may be removing the same objects.
	assert.Eventually(t, func() bool { return leftBy(t, program, process).isEmpty() }, 20*time.Second, 50*time.Millisecond,
		"after %s: %+v", delay, leftBy(t, program, process))
	assert.Empty(t, filesIn(t, folder, temporary), "after %s", delay)
	out, err := exec.Command(program, "volume", "ls", "--quiet").Output()
	require.NoError(t, err)
	for _, volume := range strings.Fields(string(out)) {
		assert.False(t, slices.Contains(before.volumes, volume), "after %s: volume %s", delay, volume)
	}
	assert.Eventually(t, func() bool { return len(processesIn(t, temporary)) == 0 }, 20*time.Second, 50*time.Millisecond,
		"after %s: %q", delay, processesIn(t, temporary))
}
