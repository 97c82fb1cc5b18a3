package sandbox

import (
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// KeyPath is where a document gives its own routing key.
func KeyPath() krm.Path { return krm.Path("metadata.annotations").Key(contract.RoutingKeyKey) }

// SandboxKey returns the routing key of a sandbox: derived from its cluster and name, or as the annotation
// contract.RoutingKeyKey gives it; the error says what such a key must be, and is for KeyPath.
func SandboxKey(s *document.Sandbox) (string, error) {
	return routeKeyOf(s.Item, contract.Sandbox, s.Spec.Cluster, s.LowerName())
}

// GroupKey returns the routing key of a route group, as SandboxKey does.
func GroupKey(g *document.RouteGroup) (string, error) {
	return routeKeyOf(g.Item, contract.RouteGroup, g.Spec.Cluster, strings.ToLower(g.Name))
}

func routeKeyOf(item *krm.Item, kind, cluster, lowerName string) (string, error) {
	key, given := item.Annotation(contract.RoutingKeyKey)
	if !given {
		return contract.DeriveRoutingKey(kind, cluster, lowerName), nil
	}
	return key, contract.CheckRoutingKey(key)
}
