package scaffold

import (
	"bytes"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Policy are the options of policies of the API server for a plugin: the rules about its sandboxes and its Jobs that
// CEL can express.
type Policy struct {
	// Plugin is the bare name.
	Plugin string
	// Params are the names of the plugin's params.
	Params []string
}

// Patterns of RE2, without backslashes, which string literals of CEL would need twice.
const (
	versionPattern = `[0-9]+[.][0-9]+[.][0-9]+(-[0-9A-Za-z.-]+)?([+][0-9A-Za-z.-]+)?`
	digestPattern  = `^sha256:[0-9a-f]{64}$`
	namePattern    = `^[A-Za-z]([A-Za-z0-9-]{0,28}[A-Za-z0-9])?$`
)

// PolicyFile returns the path of the policies for the plugin with a bare name.
func PolicyFile(bare string) string { return "policies/" + bare + ".yaml" }

// Files returns the policies. The error is krm.OptionErrors if options are invalid.
func (p Policy) Files() (Files, error) {
	var wrong krm.OptionErrors
	if err := document.CheckBareName(p.Plugin); err != nil {
		wrong.Add("name", "%s", err)
	}
	checkNames(&wrong, "params", p.Params)
	if len(wrong) > 0 {
		return nil, wrong
	}
	var out bytes.Buffer
	err := templates.ExecuteTemplate(&out, "policy.yaml.tmpl", map[string]any{
		"Plugin": p.Plugin, "Params": p.Params, "Group": contract.Group, "Main": contract.MainContainer,
		"NamePattern": namePattern, "MaxName": document.MaxIdentifier,
		"VersionPattern": versionPattern, "DigestPattern": digestPattern,
		"PluginKey": contract.PluginKey, "DigestKey": contract.DigestKey, "PhaseKey": contract.PhaseKey,
		"SandboxKey": contract.SandboxKey, "ResourceKey": contract.ResourceKey, "StepKey": contract.StepKey,
		"HelperKey": contract.HelperKey,
	})
	if err != nil {
		return nil, err
	}
	return Files{PolicyFile(p.Plugin): out.String()}, nil
}
