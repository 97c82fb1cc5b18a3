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

// ledger is a folder of the node that the Pods of a space mount at /ledger. Scripts append to its file "events".
type ledger struct{ folder string }

// event is one line: a script of a sandbox's step says what it does, and when, in seconds.
type event struct {
	sandbox, step, what string
	at                  float64
}

// overlay mounts the ledger, and says what else main gets, as YAML in braces without them.
func (l ledger) overlay(more ...string) string {
	main := append([]string{"name: main", "volumeMounts: [{name: ledger, mountPath: /ledger}]"}, more...)
	return fmt.Sprintf("spec:\n  volumes: [{name: ledger, hostPath: {path: %q, type: Directory}}]\n  containers: [{%s}]\n",
		l.folder, strings.Join(main, ", "))
}

// script is a step's script that keeps the ledger; body may use note EVENT and await FILE, which waits for a file that
// the test makes with open.
func script(step, body string) string {
	return `#!/bin/bash
set -eu
note() { printf '%s ` + step + ` %s %s\n' "$SIGNADOT_SANDBOX_NAME" "$1" "$EPOCHREALTIME" >> /ledger/events; }
await() { until [ -e "/ledger/$1" ]; do sleep 0.1; done; }
mkdir -p /outputs
note start
` + body + `
note end
`
}

func (l ledger) open(t *testing.T, file string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(l.folder, file), nil, 0o666))
}

func (l ledger) events(t *testing.T) []event {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(l.folder, "events"))
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	var events []event
	for line := range strings.Lines(string(text)) {
		var e event
		_, err := fmt.Sscan(line, &e.sandbox, &e.step, &e.what, &e.at)
		require.NoError(t, err, line)
		events = append(events, e)
	}
	return events
}

// times returns when a step's script did something, each time.
func (l ledger) times(t *testing.T, sandbox, step, what string) []float64 {
	t.Helper()
	var times []float64
	for _, e := range l.events(t) {
		if e.sandbox == sandbox && e.step == step && e.what == what {
			times = append(times, e.at)
		}
	}
	return times
}
