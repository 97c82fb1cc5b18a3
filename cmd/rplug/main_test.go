package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/internal/localrun/process"
	"github.com/resource-plugins/krm-functions/test/ociimage"
)

func TestMain(m *testing.M) {
	process.Enter()
	testscript.Main(m, map[string]func(){"rplug": main})
}

// TestScripts runs whole commands.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_GOLDEN") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"image": ociimage.Script, "status": runStatus,
		},
	})
}

// runStatus is the script command "status CODE ARGUMENTS...": it runs rplug status, which must have that exit code.
func runStatus(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec("rplug", append([]string{"status"}, args[1:]...)...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code must be %s, not %d", args[0], code)
	}
}

// The help of every command fits a screen of 60 lines and 100 columns.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	var check func(c *cobra.Command, path []string)
	check = func(c *cobra.Command, path []string) {
		var out, notes bytes.Buffer
		assert.Equal(t, exitClean, run(append(path, "--help"), strings.NewReader(""), &out, &notes), path)
		assert.LessOrEqual(t, strings.Count(out.String(), "\n"), 60, path)
		for line := range strings.Lines(out.String()) {
			assert.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), 100, "%s: %s", path, line)
		}
		for _, sub := range c.Commands() {
			check(sub, append(append([]string{}, path...), sub.Name()))
		}
	}
	check(rootCommand(&bytes.Buffer{}), nil)
}
