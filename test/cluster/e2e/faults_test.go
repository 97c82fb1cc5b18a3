//go:build e2e

package e2e

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// fault is a fault in the step "make" of a plugin. Its step "use" reads the output "value", and must run only if make has
// published it.
type fault struct {
	name string
	// script is the body of make's script. limits and pod are further fields of its container and its Pod; overlay replaces
	// both.
	script, limits, pod, overlay string
	// arguments are arguments of render-phase.
	arguments []string
	// text is the whole script and replaces script.
	text string
	// edit changes the rendered manifest.
	edit func(string) string
	// reason is part of a message. Without a reason, the steps succeed.
	reason string
}

// good writes a different value for each sandbox.
const good = `printf 'value of %s' "$SIGNADOT_SANDBOX_NAME" > /outputs/value`

var faults = []fault{
	{name: "none", script: good},
	{name: "exit", script: good + "\nexit 1", reason: `main: 1: step "make": the script exited with 1`},
	{name: "sigkill", script: good + "\nkill -KILL $$", reason: `main: 137: step "make": the script was killed by`},
	{name: "memory", script: good + "\nhog=$(head -c 500000000 /dev/zero | tr '\\0' x)", limits: "resources: {limits: {memory: 48Mi}}",
		reason: "main: 137:"},
	{name: "interpreter", text: "#!/bin/no-such\n" + good, reason: `interpreter "/bin/no-such" is not in the image`},
	{name: "command", script: good, arguments: []string{"--start-timeout-seconds", "60"}, reason: "main did not start within",
		edit: func(manifest string) string {
			return strings.ReplaceAll(manifest, "- "+contract.RunnerFile+"\n", "- /no/such/command\n")
		}},
	{name: "overdue", script: good + "\nsleep 1000", pod: "  activeDeadlineSeconds: 5\n",
		arguments: []string{"--start-timeout-seconds", "600"}, reason: `main: 124: step "make": the script timed out`},
	{name: "missing", script: "true", reason: "the script must write this file, but it does not exist"},
	{name: "folder", script: "mkdir /outputs/value", reason: "it must be a regular file, not a"},
	{name: "background", script: "(sleep 1; " + good + ") &"},
	{name: "daemon", script: good + "\nsleep 1000 > /dev/null 2>&1 &"},
	{name: "unfinished", script: "(printf part; exec sleep 1000) > /outputs/value &", reason: "a process still has the file open for writing"},
	{name: "full", text: "#!/bin/sh\nhead -c 1000000 /dev/zero > /outputs/value\nexit 0\n", reason: "its volume is full",
		overlay: "spec:\n  volumes: [{name: outputs, emptyDir: {medium: Memory, sizeLimit: 64Ki}}]\n" +
			"  containers: [{name: main, volumeMounts: [{name: outputs, mountPath: /outputs}]}]\n"},
	{name: "user", text: "#!/bin/sh\nset -eu\nmkdir -p /outputs\n" + good, limits: "securityContext: {runAsUser: 1000}",
		reason: `the script exited with 1; user 1000 of main cannot create the folder "/outputs": run main as another user`},
	{name: "whole", script: "head -c 1048576 /dev/zero | tr '\\0' x > /outputs/value"},
	{name: "byte", script: "head -c 1048577 /dev/zero | tr '\\0' x > /outputs/value", reason: "must not have more than"},
}

// rounds returns the number of sandboxes for each fault: E2E_ROUNDS, or 5.
func rounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("E2E_ROUNDS")
	if text == "" {
		return 5
	}
	count, err := strconv.Atoi(text)
	require.NoError(t, err)
	return count
}

// Sandboxes with all faults, applied at once in random order: every failure is reported, its consumers stop, and other
// sandboxes succeed.
func TestFaultMixed(t *testing.T) {
	s := newNamespace(t)
	var stream []string
	for _, one := range faults {
		stream = append(stream, strings.Split(s.faulty(one, rounds(t)), "\n---\n")...)
	}
	shuffled := rand.New(rand.NewPCG(5, 5))
	shuffled.Shuffle(len(stream), func(i, k int) { stream[i], stream[k] = stream[k], stream[i] })
	s.apply(strings.Join(stream, "\n---\n"))
	ends := s.ended()
	require.Len(t, ends, 2*len(faults)*rounds(t))
	messages, outputs := s.messages(), s.outputs()
	for _, one := range faults {
		for i := range rounds(t) {
			s.checkFault(one, fmt.Sprintf("%s-%d", one.name, i), ends, messages, outputs)
		}
	}
}

// faulty renders sandboxes with a fault in the step make.
func (s *testNamespace) faulty(one fault, count int) string {
	text := one.text
	if text == "" {
		text = script("make", one.script)
	}
	limits := one.limits
	if limits == "" {
		limits = "resources: {limits: {memory: 200Mi}}"
	}
	overlay := one.overlay
	if overlay == "" {
		overlay = s.overlay(limits) + one.pod
	}
	documents := []object{s.plugin("fault-"+one.name+"@1.0.0", overlay,
		step{name: "make", script: text, outputs: []string{"value"}},
		step{
			name: "use", script: script("use", "sha256sum < /inputs/make.value > /outputs/seen"),
			reads: []string{"make.value"}, outputs: []string{"seen"}, files: true,
		})}
	for i := range count {
		documents = append(documents, sandbox(fmt.Sprintf("%s-%d", one.name, i), "fault-"+one.name, nil))
	}
	rendered := s.render(one.arguments, documents...)
	if one.edit != nil {
		edited := one.edit(rendered)
		require.NotEqual(s.t, rendered, edited)
		return edited
	}
	return rendered
}

func (s *testNamespace) checkFault(one fault, sandbox string, ends, messages map[string]string, outputs map[string]secret) {
	t, producer, consumer := s.t, sandbox+"/make", sandbox+"/use"
	made, used := outputs[producer], outputs[consumer]
	if one.reason == "" {
		assert.Equal(t, "Complete", ends[producer], producer)
		assert.Equal(t, "Complete", ends[consumer], consumer)
		assert.Len(t, s.times(t, sandbox, "make", "start"), 1, "runs of %s", producer)
		assert.Len(t, s.times(t, sandbox, "use", "start"), 1, "runs of %s", consumer)
		assert.Equal(t, sha256Line(valueOf(one, sandbox)), string(used.Data["seen"]), consumer)
		assert.Equal(t, valueOf(one, sandbox), string(made.Data["value"]), producer)
		assert.NotEmpty(t, made.Metadata.Annotations[contract.PublishedKey], producer)
		return
	}
	assert.Equal(t, "Failed", ends[producer], producer)
	assert.Equal(t, "Failed", ends[consumer], consumer)
	assert.Empty(t, made.Data, producer)
	assert.Empty(t, used.Data, consumer)
	assert.Empty(t, made.Metadata.Annotations[contract.PublishedKey], producer)
	assert.NotEmpty(t, made.Metadata.Annotations[contract.FailedKey], producer)
	assert.LessOrEqual(t, len(s.times(t, sandbox, "make", "start")), 1, "runs of %s", producer)
	assert.Empty(t, s.times(t, sandbox, "use", "start"), "%s must not run", consumer)
	assert.Contains(t, messages[producer], one.reason, producer)
	assert.Contains(t, messages[consumer], "failed and its outputs are needed", consumer)
	for _, text := range []string{messages[producer], messages[consumer]} {
		assert.NotContains(t, text, "value of", "a message must not contain a value")
	}
}

// valueOf returns the output of a sandbox without a fault.
func valueOf(one fault, sandbox string) string {
	if one.name == "whole" {
		return strings.Repeat("x", contract.MaxOutputBytes)
	}
	return "value of " + sandbox
}

// sha256Line returns the output of sha256sum for a text on stdin.
func sha256Line(text string) string { return fmt.Sprintf("%x  -\n", sha256.Sum256([]byte(text))) }
