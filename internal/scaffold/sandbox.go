package scaffold

import (
	"cmp"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// DefaultCluster is the default cluster of a sandbox.
const DefaultCluster = "staging"

// Example is the default value of a param.
const Example = "example"

// Sandbox are the options of a sandbox with one resource. An option that is empty has its default.
type Sandbox struct {
	Name    string
	Cluster string
	// Plugin is the reference of the resource.
	Plugin string
	// Resource is the resource's name; the plugin's by default.
	Resource string
	Params   map[string]string
	// Optional are other params that the plugin takes.
	Optional []string
}

// SandboxFile returns the path of the sandbox with a name.
func SandboxFile(name string) string { return SandboxFolder + "/" + name + ".yaml" }

// Files returns the sandbox. The error is krm.OptionErrors if options are invalid.
func (s Sandbox) Files() (Files, error) {
	var wrong krm.OptionErrors
	checkIdentifier(&wrong, "name", s.Name)
	reference, err := document.ParsePluginReference(s.Plugin)
	if err != nil {
		wrong.Add("plugin", "%s", err)
	}
	s.Cluster, s.Resource = cmp.Or(s.Cluster, DefaultCluster), cmp.Or(s.Resource, resourceName(reference.Bare))
	checkText(&wrong, "cluster", s.Cluster)
	if s.Resource != "" {
		checkIdentifier(&wrong, "resource", s.Resource)
	}
	checkParams(&wrong, s.Params)
	if len(wrong) > 0 {
		return nil, wrong
	}
	return expand("sandbox.yaml.tmpl", SandboxFile(s.Name), s, map[krm.Path]krm.Path{
		"metadata.name": "name", "spec.cluster": "cluster", "spec.resources[0].params": "params",
		"spec.resources[0].plugin": "plugin", "spec.resources[0].name": "resource",
	})
}

// resourceName returns the name of a resource for the bare name of a plugin, which may be longer.
func resourceName(bare string) string {
	return strings.TrimRight(bare[:min(len(bare), document.MaxIdentifier)], "-")
}

func checkIdentifier(wrong *krm.OptionErrors, option krm.Path, name string) {
	if message := document.CheckIdentifier(name); message != "" {
		wrong.Add(option, "%s", message)
	} else if name == "" {
		wrong.Add(option, "must not be empty")
	}
}

// checkParams checks params with their values.
func checkParams(wrong *krm.OptionErrors, params map[string]string) {
	for _, name := range sortedKeys(params) {
		checkIdentifier(wrong, "param", name)
		checkText(wrong, "param", params[name])
	}
}
