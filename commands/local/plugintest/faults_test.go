package plugintest_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
	"github.com/resource-plugins/krm-functions/commands/local/plugintest"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// suite writes the documents of testdata with changes, each OLD → NEW, and reads them.
func suite(t *testing.T, options plugintest.Options, changes ...string) (*plugintest.Suite, *krm.ResourceList, string) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		checkout.LeaveOut(t, "the scripts of the plugin under test need bash: %v", err)
	}
	own, err := os.Executable()
	require.NoError(t, err)
	folder := t.TempDir()
	found := 0
	for _, name := range []string{"plugin.yaml", "test.yaml"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		after := string(text)
		for pair := range slices.Chunk(changes, 2) {
			if strings.Contains(after, pair[0]) {
				found++
			}
			after = strings.ReplaceAll(after, pair[0], pair[1])
		}
		after = strings.ReplaceAll(after, "[STORE]", "["+own+"]")
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(after), 0o600))
	}
	require.GreaterOrEqual(t, found, len(changes)/2, "a change changes nothing: %q", changes)
	read, err := load.Read([]string{folder}, load.Options{})
	require.NoError(t, err)
	require.Empty(t, read.Results())
	list := krm.NewList()
	for _, document := range read.Documents {
		list.Append(document.Item)
	}
	options.Chain = build.New()
	made, err := plugintest.New(list, options)
	require.NoError(t, err)
	return made, list, folder
}

// machine runs steps as processes.
func machine(t *testing.T) plugintest.Machine {
	t.Helper()
	engine, err := process.New(process.Options{})
	require.NoError(t, err)
	if isolated, reason := engine.IsIsolated(); !isolated {
		checkout.LeaveOut(t, "bubblewrap does not isolate processes: %v", reason)
	}
	return plugintest.Machine{
		Environment: os.Environ(), Parallel: 2,
		Engine: func(context.Context, string) (localrun.Engine, error) { return engine, nil },
	}
}

// failed runs a plugin with a fault. It returns the messages of the failed checks, by CASE/CHECK.
func failed(t *testing.T, selected string, changes ...string) (all map[string]string, checks []string) {
	t.Helper()
	made, list, _ := suite(t, plugintest.Options{Select: regexp.MustCompile(selected)}, changes...)
	require.NotNil(t, made, "%v", list.Results())
	report, err := made.Run(t.Context(), machine(t))
	require.NoError(t, err)
	all = map[string]string{}
	for _, check := range report.Tests[0].Checks {
		id := strings.TrimPrefix(check.Case+"/"+check.ID, "/")
		checks = append(checks, id+" "+string(check.Result))
		if check.Result == plugintest.Failed {
			all[id] = strings.Join(check.Messages, "\n")
			for _, log := range check.Logs {
				all[id] += "\n" + log.Of + ": " + log.Text
			}
		}
	}
	return all, checks
}

// A plugin without faults passes, so the checks do not always fail.
func TestSuite_withoutFault(t *testing.T) {
	t.Parallel()
	found, checks := failed(t, "")
	assert.Empty(t, found)
	assert.Equal(t, []string{
		"inputs-read passed", "outputs-read passed", "inputs-declared passed",
		"small/create passed", "small/create-check passed", "small/create-twice passed",
		"small/delete passed", "small/delete-check passed", "small/nothing-left passed", "small/delete-twice passed",
		"small/processes-end passed", "small/any-order skipped",
		"small/create-after-kill passed", "small/delete-after-half-create passed",
		"none/create passed", "none/create-twice skipped",
		"none/delete passed", "none/nothing-left passed", "none/delete-twice passed",
		"none/processes-end passed", "none/any-order skipped",
		"none/create-after-kill skipped", "none/delete-after-half-create skipped",
	}, checks)
}

const (
	asks     = `      ask() { exec 3<>"/dev/tcp/$HOST/$PORT"; echo "$*" >&3; IFS= read -r answer <&3; exec 3>&-; echo "$answer"; }` + "\n"
	noSkip   = "  plugin: store@^1\n"
	putName  = `ask put "$SIGNADOT_SANDBOX_ID" > /tmp/answer`
	makeName = `printf 'store-%s' "$SIZE" > /outputs/name`
	delName  = `ask del "$SIGNADOT_SANDBOX_ID" > /tmp/answer`
	delSeed  = `ask del "$SIGNADOT_SANDBOX_ID-seed" > /tmp/answer`
)

// Each fault is found only by the checks for it. want has a part of the message of each.
func TestSuite_findsFaults(t *testing.T) {
	t.Parallel()
	for fault, c := range map[string]struct {
		changes []string
		want    map[string]string
	}{
		"create is not idempotent": {
			[]string{putName, `[ "$(ask add "$SIGNADOT_SANDBOX_ID")" = ok ] || { echo "exists already" >&2; exit 4; }`},
			map[string]string{
				"small/create-twice":      `step "provision" failed: the script exited with 4`,
				"small/create-after-kill": `after step "provision" was killed`,
			},
		},
		"an output is missing on the second run": {
			[]string{makeName, `[ "$(ask add "$SIGNADOT_SANDBOX_ID-made")" = exists ] || ` + makeName, delSeed, delSeed + "\n      ask del \"$SIGNADOT_SANDBOX_ID-made\" > /tmp/answer"},
			map[string]string{
				"small/create-twice":      `step "provision" failed: output "name" from "/outputs/name": the script must write this file`,
				"small/create-after-kill": `step "provision" failed: output "name" from "/outputs/name"`,
			},
		},
		"an output changes on each run": {
			[]string{makeName, `date +store-%N > /outputs/name`, "equals: store-small", `matches: store-\d+\n`,
				`[ "$OUTPUT_PROVISION_NAME" = "store-$PARAM_SIZE" ]`, "true", "matches: store-.* seeded", "nonEmpty: true"},
			map[string]string{"small/create-twice": `output "provision.name" must stay the same: it was "store-`},
		},
		"delete leaks": {
			[]string{delSeed, ""},
			map[string]string{
				"small/delete-check":             "-seed is left",
				"small/nothing-left":             `fixture "server": its state must be that before the create phase`,
				"small/delete-twice":             "-seed is left",
				"small/create-after-kill":        "-seed is left",
				"small/delete-after-half-create": "-seed is left",
			},
		},
		"delete leaks what a step left that was killed": {
			[]string{delName, "true", makeName, makeName + "\n      " + `ask put "$SIGNADOT_SANDBOX_ID-done" > /tmp/answer`,
				delSeed, delSeed + "\n      " + `[ "$(ask remove "$SIGNADOT_SANDBOX_ID-done")" = missing ] || ` + delName,
				putName, putName + "\n      sleep 2", noSkip, "  skip: [create-twice, delete-twice, create-after-kill]\n" + noSkip},
			map[string]string{"small/delete-after-half-create": `after step "provision" was killed half-way: the check script after delete`},
		},
		"delete fails the second time": {
			[]string{delName, `[ "$(ask remove "$SIGNADOT_SANDBOX_ID")" = ok ] || { echo "not there" >&2; exit 5; }`, putName, "sleep 2\n      " + putName, noSkip, "  skip: [create-twice, create-after-kill]\n" + noSkip},
			map[string]string{
				"small/delete-twice":             `step "drop" failed: the script exited with 5`,
				"small/delete-after-half-create": "not there",
			},
		},
		"delete fails after half a create": {
			[]string{"    script: |\n      #!/bin/bash\n      set -eu\n" + asks + "      ask del",
				"    - {name: state, valueFromStep: {name: seed, output: state}}\n    script: |\n      #!/bin/bash\n      set -eu\n" + asks + "      echo \"$STATE\"\n      ask del"},
			map[string]string{"small/delete-after-half-create": `spec.createBeforeDelete`},
		},
		"delete fails after half a create, which the test allows": {
			[]string{"    script: |\n      #!/bin/bash\n      set -eu\n" + asks + "      ask del",
				"    - {name: state, valueFromStep: {name: seed, output: state}}\n    script: |\n      #!/bin/bash\n      set -eu\n" + asks + "      echo \"$STATE\"\n      ask del",
				noSkip, "  createBeforeDelete: true\n" + noSkip},
			nil,
		},
		"an order that nothing declares": {
			[]string{"    - {name: name, valueFromStep: {name: provision, output: name}}\n", "", `printf '%s seeded' "$NAME"`,
				`sleep 1; [ "$(ask get "$SIGNADOT_SANDBOX_ID")" = ok ] || exit 8; printf 'store-small seeded'`},
			map[string]string{"small/any-order": "with the steps one at a time, the last ones first: step \"seed\" failed: the script exited with 8"},
		},
		"a variable that nothing declares": {
			[]string{`ask put "$SIGNADOT_SANDBOX_ID-seed" > /tmp/answer`, `ask put "$SIGNADOT_SANDBOX_ID-seed" "${SIZE:-}" > /tmp/answer`},
			map[string]string{"inputs-declared": `spec.create[1].script: the script of step "seed" reads $SIZE, which nothing declares`},
		},
		"a variable in arithmetic that nothing declares": {
			[]string{`ask put "$SIGNADOT_SANDBOX_ID-seed" > /tmp/answer`, `ask put "$SIGNADOT_SANDBOX_ID-seed" "$(set +u; echo $((RETRIES + 1)))" > /tmp/answer`},
			map[string]string{"inputs-declared": `spec.create[1].script: the script of step "seed" reads $RETRIES, which nothing declares`},
		},
		"a process that outlives its script": {
			[]string{putName, putName + "\n      sleep 600 &",
				noSkip, "  skip: [create-twice, create-after-kill, delete-after-half-create]\n" + noSkip},
			map[string]string{"small/processes-end": `step "provision": processes that the script has started still ran when it ended`},
		},
		"a second run has a side effect": {
			[]string{putName, putName + "\n      " + `ask put "$SIGNADOT_SANDBOX_ID-$RANDOM$RANDOM" > /tmp/answer`,
				delSeed, delSeed + "\n      for name in $(ask list); do ask del \"$name\" > /tmp/answer; done"},
			map[string]string{"small/create-twice": `fixture "server": its state must stay the same when the phase runs again`},
		},
		"a kill leaves a lock": {
			[]string{putName, `[ "$(ask add "$SIGNADOT_SANDBOX_ID-lock")" = ok ] || { echo "it is locked" >&2; exit 6; }` +
				"\n      sleep 2\n      " + putName + "\n      " + `ask del "$SIGNADOT_SANDBOX_ID-lock" > /tmp/answer`,
				delSeed, delSeed + "\n      " + `ask del "$SIGNADOT_SANDBOX_ID-lock" > /tmp/answer`,
				noSkip, "  skip: [create-twice, delete-twice, delete-after-half-create]\n" + noSkip},
			map[string]string{"small/create-after-kill": `after step "provision" was killed half-way: step "provision" failed: the script exited with 6`},
		},
		"an input is not read": {
			[]string{asks + "      ask put \"$SIGNADOT_SANDBOX_ID-seed\" > /tmp/answer\n", "",
				`printf '%s seeded' "$NAME"`, `echo "$HOST $PORT"; printf 'store-small seeded'`},
			map[string]string{"inputs-read": `spec.create[1].inputs[2]: input "name" is never read`},
		},
		"an output is not read": {
			[]string{"      - {step: seed, output: state, matches: store-.* seeded}\n", ""},
			map[string]string{"outputs-read": `spec.create[1].outputs[0]: output "seed.state" is never read`},
		},
		"an output has a wrong value": {
			[]string{makeName, `printf 'Store-%s' "$SIZE" > /outputs/name`},
			map[string]string{
				"small/create":            `output "provision.name" must be "store-small", not "Store-small"`,
				"small/create-after-kill": `output "provision.name" must be "store-small", not "Store-small"`,
				"small/create-twice":      `the check script after create must succeed`,
			},
		},
		"an output does not match": {
			[]string{makeName, `printf 'store-%s\n' "$SIZE" > /outputs/name`, "equals: store-small", "matches: 'store-[a-z]+'",
				`[ "$OUTPUT_PROVISION_NAME" = "store-$PARAM_SIZE" ]`, "true", "matches: store-.* seeded", "nonEmpty: true"},
			map[string]string{
				"small/create":            `output "provision.name" must match "store-[a-z]+", not "store-small\n"`,
				"small/create-after-kill": `must match`,
			},
		},
		"a step hangs": {
			[]string{putName, `[ "$SIZE" = none ] || sleep 600`, "timeoutSeconds: 120", "timeoutSeconds: 1"},
			map[string]string{"small/create": `out of time after 1s (timeoutSeconds): still running: provision`},
		},
		"what must fail does not": {
			[]string{`exit 3; }`, `true; }`},
			map[string]string{"none/create": `step "provision" must fail, but it is done`},
		},
		"what must fail does so in another way": {
			[]string{`echo "no size" >&2; exit 3; }`, `echo "no such size" >&2; exit 2; }`},
			map[string]string{"none/create": "step \"provision\" must fail with exit code 3, not 2: "},
		},
		"an empty output": {
			[]string{makeName, `: > /outputs/name`, "equals: store-small", "nonEmpty: true",
				`[ "$OUTPUT_PROVISION_NAME" = "store-$PARAM_SIZE" ]`, "true", "matches: store-.* seeded", "nonEmpty: true"},
			map[string]string{
				"small/create":            `output "provision.name" must not be empty`,
				"small/create-after-kill": `output "provision.name" must not be empty`,
			},
		},
		"a fixture that ends": {
			[]string{"[STORE]", "[/bin/sh, -c, 'echo no room; exit 7']"},
			map[string]string{
				"small/create": `fixture "server": it must not end before it is ready: exit status 7`,
			},
		},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			selected := "^store(/small)?$"
			if strings.Contains(fault, "must fail") {
				selected = "^store/none$"
			}
			found, _ := failed(t, selected, c.changes...)
			for check, message := range found {
				if want, expected := c.want[check]; assert.True(t, expected, "%s: %s", check, message) {
					assert.Contains(t, message, want, check)
				}
			}
			for check := range c.want {
				assert.Contains(t, found, check)
			}
		})
	}
}
