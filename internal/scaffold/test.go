package scaffold

import (
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Test are the options of a PluginTest with one case.
type Test struct {
	// Plugin is the bare name of the plugin: a test is for the current version.
	Plugin string
	// Params are the params of the case.
	Params map[string]string
	// Outputs are the outputs of the create phase; each must not be empty.
	Outputs []v1alpha1.StepOutput
}

// TestFile returns the path of the test of the plugin with a bare name.
func TestFile(bare string) string { return bare + "/test.yaml" }

// Files returns the test. The error is krm.OptionErrors if options are invalid.
func (t Test) Files() (Files, error) {
	var wrong krm.OptionErrors
	if err := document.CheckBareName(t.Plugin); err != nil {
		wrong.Add("name", "%s", err)
	}
	checkParams(&wrong, t.Params)
	for _, output := range t.Outputs {
		checkIdentifier(&wrong, "outputs", output.Name)
		checkIdentifier(&wrong, "outputs", output.Output)
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return expand("test.yaml.tmpl", TestFile(t.Plugin), t, map[krm.Path]krm.Path{"spec.cases[0].params": "param"})
}

func sortedKeys(params map[string]string) []string { return slices.Sorted(maps.Keys(params)) }
