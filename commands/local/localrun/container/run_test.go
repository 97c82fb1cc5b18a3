//go:build e2e

package container

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
)

func TestRunReturnsOutputs(t *testing.T) {
	for _, program := range Programs() {
		t.Run(program, func(t *testing.T) {
			engine := newEngine(t, program, nil)
			result, log := run(t, engine, step("#!/bin/sh\necho hello; printf 'a\\0b\\377' > /outputs/x\necho there >&2; : > /outputs/y\n", "x", "y"))
			assert.Equal(t, localrun.Result{Outputs: map[string][]byte{"x": []byte("a\x00b\xff"), "y": {}}}, result)
			assert.ElementsMatch(t, []string{"hello", "there"}, strings.Fields(log), "stdout and stderr are two streams, as in a cluster")
		})
	}
}

func TestRunReportsFailures(t *testing.T) {
	for _, program := range Programs() {
		t.Run(program, func(t *testing.T) {
			engine := newEngine(t, program, nil)
			for name, test := range map[string]struct {
				container localrun.Container
				code      int
				message   string
			}{
				"exit":      {step("#!/bin/sh\nexit 7\n"), 7, `step "make": the script exited with 7`},
				"missing":   {step("#!/bin/sh\n", "x"), 1, `step "make": output "x" from "/outputs/x": the script must write this file, but it does not exist`},
				"pipe":      {step("#!/bin/sh\nmkfifo /outputs/x\n", "x"), 1, `step "make": output "x" from "/outputs/x": it must be a regular file, not a pipe`},
				"device":    {step("#!/bin/sh\nln -s /dev/zero /outputs/x\n", "x"), 1, `step "make": output "x" from "/outputs/x": it must be a regular file, not a device`},
				"signal":    {step("#!/bin/sh\nkill -TERM $$\n"), 143, `step "make": the script was killed by SIGTERM`},
				"too large": {step("#!/bin/sh\nhead -c 1048577 /dev/zero > /outputs/x\n", "x"), 1, `step "make": outputs must not have more than 1048576 bytes in total, the limit of a Secret`},
				"replaced":  {step("#!/bin/sh\n(sleep 0.3; rm -rf /var/run/resourceplugins/io/outputs; ln -s / /var/run/resourceplugins/io/outputs) & echo > /outputs/x\n", "x"), 1, ""},
				"command":   {with(plain(""), func(c *localrun.Container) { c.Command = []string{"/no/such"} }), 128, ""},
				"fallback": {with(plain("#!/bin/sh\necho it failed; exit 2\n"), func(c *localrun.Container) {
					c.Template.Spec.Containers[0].TerminationMessagePolicy = "FallbackToLogsOnError"
				}), 2, "it failed"},
				"plain": {plain("#!/bin/sh\nprintf 'it\\nfailed\\n' > /dev/termination-log; exit 3\n"), 3, "it failed"},
			} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					result, _ := run(t, engine, test.container)
					assert.Equal(t, test.code, result.ExitCode)
					if test.message != "" {
						assert.Equal(t, test.message, result.Message)
					}
					assert.NotEmpty(t, result.Message)
					assert.Empty(t, result.Outputs)
				})
			}
		})
	}
}
