package function_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/importplugin"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/function/rendersandbox"
	"github.com/resource-plugins/krm-functions/internal/function/resolveversion"
	"github.com/resource-plugins/krm-functions/internal/function/validateplugin"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/ociimage"
)

var functions = []cli.Function{
	validateplugin.New(), resolveversion.New(), renderphase.New(), rendersandbox.New(), importplugin.New(),
}

func TestMain(m *testing.M) {
	commands := map[string]func(){}
	for _, f := range functions {
		commands[f.Name] = func() { cli.Main(f) }
	}
	testscript.Main(m, commands)
}

// TestScripts runs whole commands: each archive has the files that they need and what they must print. The orchestrators'
// binaries are those on the PATH, else those that `make test` built.
func TestScripts(t *testing.T) {
	t.Parallel()
	folders := []string{"all-functions"}
	for _, f := range functions {
		folders = append(folders, f.Name)
	}
	for _, folder := range folders {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			testscript.Run(t, testscript.Params{
				Dir:           filepath.Join("testdata", folder),
				UpdateScripts: os.Getenv("UPDATE_GOLDEN") != "",
				Cmds:          map[string]func(*testscript.TestScript, bool, []string){"image": ociimage.Script},
				Setup: func(env *testscript.Env) error {
					env.Setenv("HOME", env.WorkDir)
					env.Setenv("PATH", env.Getenv("PATH")+string(os.PathListSeparator)+filepath.Join(checkout.Root(), "bin", "tools"))
					return nil
				},
			})
		})
	}
}
