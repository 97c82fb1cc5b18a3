package sandbox

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// introduce tells the main container whose fork it is in: the sandbox downward API of the vendor's documentation. The
// sandbox's own variables come later and win.
func introduce(object *yaml.Node, owner *Owner) *yaml.Node {
	object = SetVariable(object, contract.SandboxNameVariable, owner.Sandbox)
	return SetVariable(object, contract.RoutingKeyVariable, owner.RoutingKey)
}
