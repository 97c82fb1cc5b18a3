package command

import (
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/test/framework/script"
)

func main() { rplug.Main(Extension()) }

func TestMain(m *testing.M) {
	if code, isStep := process.Main(os.Args[1:]); isStep {
		os.Exit(code)
	}
	testscript.Main(m, map[string]func(){"rplug": main})
}

// TestScripts runs whole commands.
func TestScripts(t *testing.T) {
	t.Parallel()
	cache := t.TempDir() // outside of the scripts' folders, since it has the key of states
	script.Run(t, testscript.Params{
		Condition: condition,
		Setup: func(env *testscript.Env) error {
			env.Setenv("USER_NAME", "ada $(x) and ü")
			env.Setenv("XDG_CACHE_HOME", cache)
			return nil
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
