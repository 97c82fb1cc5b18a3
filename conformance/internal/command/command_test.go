package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/conformance/internal/suite"
)

func call(args ...string) (code int, stdout, stderr string) {
	var out, messages bytes.Buffer
	code = Run(args, &out, &messages)
	return code, out.String(), messages.String()
}

func TestRun_refusesWrongCalls(t *testing.T) {
	t.Parallel()
	list := filepath.Join(t.TempDir(), "list.yaml")
	require.NoError(t, os.WriteFile(list, []byte("[a]\n"), 0o600))
	for _, c := range []struct {
		args    string
		message string
	}{
		{"", "must have a function to test: -- PROGRAM ARGS… or --image REF; see krm-conformance --help"},
		{"--bogus", "unknown flag: --bogus; see krm-conformance --help"},
		{"--output html -- cat", `--output must be one of text, json, junit, badge, not "html"`},
		{"--profile mutator -- cat", `--profile must be generator, transformer or validator, not "mutator"`},
		{"--level MAY -- cat", `--level must be MUST, SHOULD, statement or convention, not "MAY"`},
		{"--timeout 0s -- cat", `--timeout must be longer than 0, not "0s"`},
		{"--skip keep/nothing=why -- cat", `--skip: unknown case "keep/nothing"; see krm-conformance --list`},
		{"--skip keep/order -- cat", "--skip keep/order: must have a reason: --skip keep/order=REASON"},
		{"--explain keep/nothing", `--explain: unknown case "keep/nothing"; see krm-conformance --list`},
		{"--config /nowhere -- cat", "--config: open /nowhere: no such file or directory"},
		{"--invalid /nowhere -- cat", "--invalid: open /nowhere: no such file or directory"},
		{"--items /nowhere -- cat", "--items /nowhere: open /nowhere: no such file or directory"},
		{"--items " + list + " -- cat", "--items " + list + ": line 1: an item must be an object"},
		{"--mount type=tmpfs,dst=/a -- cat", "--mount needs --image: a program reads the files of this machine"},
		{"--runtime no-such-runtime --image a", "--image needs no-such-runtime on the PATH"},
		{"-- no-such-program", `exec: "no-such-program": executable file not found in $PATH`},
	} {
		code, stdout, stderr := call(strings.Fields(c.args)...)
		assert.Equal(t, exitCall, code, c.args)
		assert.Empty(t, stdout, c.args)
		assert.True(t, strings.HasPrefix(stderr, "krm-conformance: "+c.message), stderr)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}

func TestRun_describes(t *testing.T) {
	t.Parallel()
	code, stdout, _ := call("--help")
	assert.Equal(t, exitPassed, code)
	assert.Contains(t, stdout, "--explain CASE")

	code, stdout, _ = call("--list")
	assert.Equal(t, exitPassed, code)
	assert.Contains(t, stdout, "input/json                   MUST        accepts JSON\n")

	code, stdout, _ = call("--explain", "input/json")
	assert.Equal(t, exitPassed, code)
	assert.Contains(t, stdout, "specification: \"A function MUST use utf8 encoding")
	assert.Contains(t, stdout, "\nInput:\n{\"apiVersion\":\"config.kubernetes.io/v1\"")
}

// cat prints its input, so it fails cases such as input/not-yaml. Without these cases it passes.
func TestRun_exitCodes(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := call("--output", "json", "--level", "statement", "--verbose", "--", "cat")
	require.Equal(t, exitFailed, code, stderr)
	assert.Contains(t, stderr, "run/plain\n")
	var report struct {
		Function string
		Cases    []struct{ ID, Level, Status string }
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &report))
	assert.Equal(t, "cat", report.Function)
	var failed []string
	args := []string{"--level", "statement"}
	for _, c := range report.Cases {
		assert.NotEqual(t, "convention", c.Level, c.ID)
		if c.Status == "failed" {
			failed = append(failed, c.ID)
			args = append(args, "--skip", c.ID+"=cat checks nothing")
		}
	}
	assert.Contains(t, failed, "input/not-yaml")
	assert.NotContains(t, failed, "input/json")

	code, stdout, _ = call(append(args, "--", "cat")...)
	assert.Equal(t, exitPassed, code, stdout)
	assert.Contains(t, stdout, "skipped  input/not-yaml               statement   cat checks nothing\n")
	assert.Contains(t, stdout, "cat: ")
}

// A case that is not selected does not leave those that need it without a condition.
func TestSelected_keepsWhatCasesNeed(t *testing.T) {
	t.Parallel()
	cases, err := suite.Load()
	require.NoError(t, err)
	require.Equal(t, "behavior/deterministic", suite.Find(cases, "hermetic/nobody").Needs)
	selected := (&options{level: "MUST"}).selected(cases)
	assert.Equal(t, "output/items", suite.Find(selected, "hermetic/nobody").Needs)
	for _, c := range selected {
		assert.Equal(t, suite.Must, c.Level, c.ID)
		if c.Needs != "none" {
			assert.NotNil(t, suite.Find(selected, c.Needs), c.ID)
		}
	}
}
