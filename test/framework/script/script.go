// Package script runs the archives of a package that call its commands:
// https://pkg.go.dev/github.com/rogpeppe/go-internal/testscript.
//
//	func TestScripts(t *testing.T) {
//		t.Parallel()
//		script.Run(t, testscript.Params{})
//	}
package script

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// Folder is where the archives are by default.
const Folder = "testdata/script"

// Run runs archives, and updates their expectations with UPDATE_GOLDEN. Programs are those on the PATH, or else those in
// bin/tools. RPLUG is the path of rplug, if it is a command of the test.
func Run(t *testing.T, p testscript.Params) {
	t.Helper()
	p.Dir = cmp.Or(p.Dir, Folder)
	p.UpdateScripts = os.Getenv("UPDATE_GOLDEN") != ""
	p.Condition = conditions(t, p.Condition)
	setup := p.Setup
	p.Setup = func(env *testscript.Env) error {
		env.Setenv("PATH", env.Getenv("PATH")+string(os.PathListSeparator)+filepath.Join(checkout.Root(), "bin", "tools"))
		if program, err := exec.LookPath("rplug"); err == nil {
			env.Setenv("RPLUG", program)
		}
		if setup == nil {
			return nil
		}
		return setup(env)
	}
	testscript.Run(t, p)
}

// conditions adds the condition "terminal" to those of the package: whether the machine has pseudo-terminals, which a chroot
// lacks. Without them, lines with the condition are left out, and the log says so; with TEST_SKIPS=none, the script fails.
func conditions(t *testing.T, others func(string) (bool, error)) func(string) (bool, error) {
	t.Helper()
	var logged sync.Once
	return func(name string) (bool, error) {
		if name != "terminal" {
			if others == nil {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return others(name)
		}
		err := checkout.Terminal()
		if err == nil {
			return true, nil
		}
		if os.Getenv("TEST_SKIPS") == "none" {
			return false, err
		}
		logged.Do(func() { t.Logf("the lines for a terminal are left out: %v", err) })
		return false, nil
	}
}
