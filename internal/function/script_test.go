package function

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
	"github.com/resource-plugins/krm-functions/test/framework/ociimage"
	"github.com/resource-plugins/krm-functions/test/framework/script"
)

var functions = []cli.Function{
	validateplugin.New(), resolveversion.New(), renderphase.New(), rendersandbox.New(), importplugin.New(),
}

func TestMain(m *testing.M) {
	if name := os.Getenv(functionVariable); name != "" {
		runMeasured(name, os.Args[1:])
		os.Exit(0)
	}
	commands := map[string]func(){}
	for _, f := range functions {
		commands[f.Name] = func() { cli.Main(f) }
	}
	testscript.Main(m, commands)
}

// TestScripts runs whole commands: each archive has the files that they need and their expected output. The
// orchestrators' binaries are those on the PATH, else those that `make test` built.
func TestScripts(t *testing.T) {
	t.Parallel()
	folders := []string{"all-functions"}
	for _, f := range functions {
		folders = append(folders, f.Name)
	}
	for _, folder := range folders {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			script.Run(t, testscript.Params{
				Dir:  filepath.Join("testdata", folder),
				Cmds: map[string]func(*testscript.TestScript, bool, []string){"image": ociimage.Script},
				Setup: func(env *testscript.Env) error {
					env.Setenv("HOME", env.WorkDir)
					return nil
				},
			})
		})
	}
}
