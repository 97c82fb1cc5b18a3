package kubebuilder_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/resolveversion"
	"github.com/resource-plugins/krm-functions/internal/function/validateplugin"
	"github.com/resource-plugins/krm-functions/kubebuilder"
	"github.com/resource-plugins/krm-functions/test/framework/script"
)

func TestMain(m *testing.M) {
	feature := kubebuilder.Extension()
	testscript.Main(m, map[string]func(){
		"validate-plugin": func() { cli.Main(validateplugin.New(feature)) },
		"resolve-version": func() { cli.Main(resolveversion.New(feature)) },
	})
}

// TestScripts runs functions with the feature.
func TestScripts(t *testing.T) {
	t.Parallel()
	script.Run(t, testscript.Params{})
}
