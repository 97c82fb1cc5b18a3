package command

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/plugin"
	"github.com/resource-plugins/krm-functions/test/framework/script"
)

func main() { rplug.Main(Extension()) }

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rplug": main, plugin.Name: main})
}

// TestScripts runs whole commands.
func TestScripts(t *testing.T) {
	t.Parallel()
	script.Run(t, testscript.Params{
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".tmp", "cache"))
			return nil
		},
	})
}
