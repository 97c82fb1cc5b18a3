package scaffold

import (
	"errors"
	"maps"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// API are the options of a plugin of a project, with a test and an example of a sandbox.
type API struct {
	Plugin
	// Cluster is the cluster of the sandbox.
	Cluster string
}

// PluginPath returns the path of a file of the plugin with a bare name in a project, which PluginFile or TestFile names.
func PluginPath(file string) string { return PluginFolder + "/" + file }

// KeptFile returns the path of a published version of a plugin in a project, next to the current one.
func KeptFile(name document.PluginName) string {
	return PluginPath(name.Bare + "/" + name.Version.String() + ".yaml")
}

// ExampleSandbox returns the name of the sandbox for a plugin with a bare name.
func ExampleSandbox(bare string) string { return resourceName(bare) }

// Files returns the documents. The sandbox refers to the exact version, so that a new one does not recreate its
// resource. The error is krm.OptionErrors if options are invalid.
func (a API) Files() (Files, error) {
	made, err := a.Plugin.Files()
	if err != nil {
		return nil, err
	}
	name, _ := a.identity() // checked by Files
	bare := name.Bare
	params := map[string]string{}
	for _, name := range a.Params {
		params[name] = Example
	}
	test := Test{Plugin: bare, Params: params}
	for _, name := range a.Outputs {
		test.Outputs = append(test.Outputs, v1alpha1.StepOutput{Name: CreateStep, Output: name})
	}
	tested, testErr := test.Files()
	wanted, err := Sandbox{Name: ExampleSandbox(bare), Cluster: a.Cluster, Plugin: name.String(), Params: params}.Files()
	if err := errors.Join(testErr, err); err != nil {
		var wrong krm.OptionErrors
		if errors.As(err, &wrong) {
			return nil, wrong
		}
		return nil, err
	}
	files := Files{}
	for _, some := range []Files{made, tested} {
		for path, text := range some {
			files[PluginPath(path)] = text
		}
	}
	maps.Copy(files, wanted)
	return files, nil
}
