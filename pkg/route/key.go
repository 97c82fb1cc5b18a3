package route

import (
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/naming"
	"github.com/resource-plugins/krm-functions/pkg/sandbox"
)

// KeyPath is where a document gives its own routing key.
func KeyPath() krm.Path { return krm.Path("metadata.annotations").Key(contract.RoutingKeyKey) }

// SandboxKey returns the routing key of a sandbox: derived from its cluster and name, or as the annotation
// contract.RoutingKeyKey gives it; the error says what such a key must be, and is for KeyPath.
func SandboxKey(s *sandbox.Sandbox) (string, error) {
	return keyOf(s.Item, contract.Sandbox, s.Spec.Cluster, s.LowerName())
}

// GroupKey returns the routing key of a route group, as SandboxKey does.
func GroupKey(g *sandbox.RouteGroup) (string, error) {
	return keyOf(g.Item, contract.RouteGroup, g.Spec.Cluster, strings.ToLower(g.Name))
}

func keyOf(item *krm.Item, kind, cluster, lowerName string) (string, error) {
	key, given := item.Annotation(contract.RoutingKeyKey)
	if !given {
		return naming.RoutingKey(kind, cluster, lowerName), nil
	}
	return key, naming.CheckRoutingKey(key)
}
