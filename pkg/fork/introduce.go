package fork

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/pkg/customization"
)

// introduce tells the main container whose fork it is in: the sandbox downward API of the vendor's documentation. The
// sandbox's own variables come later and win.
func introduce(object *yaml.Node, owner *Owner) *yaml.Node {
	object = customization.SetVariable(object, contract.SandboxNameVariable, owner.Sandbox)
	return customization.SetVariable(object, contract.RoutingKeyVariable, owner.RoutingKey)
}
