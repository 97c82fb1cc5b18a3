package stacks_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/importplugin"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/function/resolveversion"
	"github.com/resource-plugins/krm-functions/internal/function/validateplugin"
	"github.com/resource-plugins/krm-functions/stacks"
	"github.com/resource-plugins/krm-functions/stacks/install"
	"github.com/resource-plugins/krm-functions/test/framework/ociimage"
	"github.com/resource-plugins/krm-functions/test/framework/script"
)

func TestMain(m *testing.M) {
	feature := stacks.Extension()
	testscript.Main(m, map[string]func(){
		"validate-plugin": func() { cli.Main(validateplugin.New(feature)) },
		"import-plugin":   func() { cli.Main(importplugin.New(feature)) },
		"resolve-version": func() { cli.Main(resolveversion.New(feature)) },
		"render-phase":    func() { cli.Main(renderphase.New(install.Extension())) },
	})
}

// TestScripts runs functions that have the feature.
func TestScripts(t *testing.T) {
	t.Parallel()
	script.Run(t, testscript.Params{
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"image": ociimage.Script},
	})
}
