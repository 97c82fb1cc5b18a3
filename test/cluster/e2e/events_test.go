//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// eventLog is a folder of the node that the Pods of a namespace mount at /shared. Scripts append to its file "events".
type eventLog struct{ folder string }

// event is a line of the log: an action of the script of a sandbox's step, its time in seconds since 1970, and its Pod.
type event struct {
	sandbox, step, what string
	at                  float64
	pod                 string
}

// overlay returns an overlay that mounts the shared folder; more has further fields of main in flow style.
func (l eventLog) overlay(more ...string) string {
	main := append([]string{"name: main", "volumeMounts: [{name: shared, mountPath: /shared}]"}, more...)
	return fmt.Sprintf("spec:\n  volumes: [{name: shared, hostPath: {path: %q, type: Directory}}]\n  containers: [{%s}]\n",
		l.folder, strings.Join(main, ", "))
}

// script returns a step's script that records its start and end. body may call note EVENT to record an event, and await FILE
// to wait for a file that the test creates with open.
func script(step, body string) string {
	return `#!/bin/bash
set -eu
note() { printf '%s ` + step + ` %s %s %s\n' "$SIGNADOT_SANDBOX_NAME" "$1" "$EPOCHREALTIME" "$HOSTNAME" >> /shared/events; }
await() { until [ -e "/shared/$1" ]; do sleep 0.1; done; }
mkdir -p /outputs
note start
` + body + `
note end
`
}

func (l eventLog) open(t *testing.T, file string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(l.folder, file), nil, 0o666))
}

func (l eventLog) events(t *testing.T) []event {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(l.folder, "events"))
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	var events []event
	for line := range strings.Lines(string(text)) {
		var e event
		_, err := fmt.Sscan(line, &e.sandbox, &e.step, &e.what, &e.at, &e.pod)
		require.NoError(t, err, line)
		events = append(events, e)
	}
	return events
}

// times returns the times of an event of a step.
func (l eventLog) times(t *testing.T, sandbox, step, what string) []float64 {
	t.Helper()
	var times []float64
	for _, e := range l.events(t) {
		if e.sandbox == sandbox && e.step == step && e.what == what {
			times = append(times, e.at)
		}
	}
	return times
}
