package rplug

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/internal/kubebuilderplugin"
	"github.com/resource-plugins/krm-functions/internal/localrun/process"
	"github.com/resource-plugins/krm-functions/internal/subcommand"
	"github.com/resource-plugins/krm-functions/test/checkout"
	"github.com/resource-plugins/krm-functions/test/ociimage"
)

func main() { Main() }

func TestMain(m *testing.M) {
	process.Enter()
	testscript.Main(m, map[string]func(){
		programName: main, kubectlPlugin: main, kubectlCompletions: main, kubebuilderplugin.Name: main,
	})
}

// TestScripts runs whole commands. Programs that they need are those on the PATH, else those of bin/tools.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_GOLDEN") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"image": ociimage.Script, "status": runStatus, "crlf": crlf, "lf": lf, "append": appendLine,
		},
		Condition: condition,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", env.Getenv("PATH")+string(os.PathListSeparator)+filepath.Join(checkout.Root(), "bin", "tools"))
			program, err := exec.LookPath("rplug")
			env.Setenv("RPLUG", program)
			env.Setenv("USER_NAME", "ada $(x) and ü")
			return err
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

// condition is what scripts can ask in addition: whether the process engine can isolate steps here.
func condition(name string) (bool, error) {
	if name != "namespaces" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	engine, err := process.New(process.Options{})
	if err != nil {
		return false, err
	}
	isolated, _ := engine.IsIsolated()
	return isolated, nil
}

// crlf ends the lines of a file with CRLF, lf with LF.
func crlf(ts *testscript.TestScript, _ bool, args []string) { replaceAll(ts, args[0], "\n", "\r\n") }

func lf(ts *testscript.TestScript, _ bool, args []string) { replaceAll(ts, args[0], "\r\n", "\n") }

// appendLine adds a line to a file.
func appendLine(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(ts.ReadFile(args[0])+"# edited\n"), 0o600))
}

// replaceAll replaces a text in a file, which must have it.
func replaceAll(ts *testscript.TestScript, file, old, by string) {
	before := ts.ReadFile(file)
	after := strings.ReplaceAll(before, old, by)
	if after == before || strings.Count(after, "\n") != strings.Count(before, "\n") {
		ts.Fatalf("%s must have other ends of lines", file)
	}
	ts.Check(os.WriteFile(ts.MkAbs(file), []byte(after), 0o600))
}

// The help of every command fits a screen of 60 lines and 100 columns.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	var check func(c *cobra.Command, path []string)
	check = func(c *cobra.Command, path []string) {
		var out, notes bytes.Buffer
		assert.Equal(t, subcommand.ExitClean, Run(t.Context(), append(path, "--help"), strings.NewReader(""), &out, &notes), path)
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
