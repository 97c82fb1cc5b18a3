package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

func main() { rplug.Main(Extension()) }

func TestMain(m *testing.M) {
	if code, isStep := process.Main(os.Args[1:]); isStep {
		os.Exit(code)
	}
	testscript.Main(m, map[string]func(){"rplug": main})
}

// TestScripts runs whole commands. Their programs are those on the PATH, or else those in bin/tools.
func TestScripts(t *testing.T) {
	t.Parallel()
	cache := t.TempDir() // outside of the scripts' folders, since it has the key of states
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_GOLDEN") != "",
		Condition:     condition,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", env.Getenv("PATH")+string(os.PathListSeparator)+filepath.Join(checkout.Root(), "bin", "tools"))
			program, err := exec.LookPath("rplug")
			env.Setenv("RPLUG", program)
			env.Setenv("USER_NAME", "ada $(x) and ü")
			env.Setenv("XDG_CACHE_HOME", cache)
			return err
		},
	})
}

// condition adds a condition of scripts: whether the process engine can isolate steps on this machine.
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
