package stacks_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function"
	"github.com/resource-plugins/krm-functions/stacks"
	"github.com/resource-plugins/krm-functions/test/framework/ociimage"
)

func TestMain(m *testing.M) {
	feature := stacks.Extension()
	testscript.Main(m, map[string]func(){
		"validate-plugin": func() { cli.Main(function.ValidatePlugin(feature)) },
		"import-plugin":   func() { cli.Main(function.ImportPlugin(feature)) },
		"resolve-version": func() { cli.Main(function.ResolveVersion(feature)) },
		"render-phase":    func() { cli.Main(function.RenderPhase(feature)) },
	})
}

// TestScripts runs functions that have the feature.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: os.Getenv("UPDATE_GOLDEN") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"image": ociimage.Script},
	})
}
