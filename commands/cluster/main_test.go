package cluster

import (
	"errors"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/test/framework/script"
)

func main() { rplug.Main(Extension()) }

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rplug": main})
}

// TestScripts runs whole commands.
func TestScripts(t *testing.T) {
	t.Parallel()
	script.Run(t, testscript.Params{Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": runStatus}})
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
