package sandbox

import (
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// keyPath is where a document gives its own routing key.
func keyPath() krm.Path { return krm.Path("metadata.annotations").Key(contract.RoutingKeyKey) }

// sandboxKey returns the routing key of a sandbox: derived from its cluster and name, or as the annotation
// contract.RoutingKeyKey gives it; the error says what such a key must be, and is for keyPath.
func sandboxKey(s *document.Sandbox) (string, error) {
	return routingKey(s.Item, contract.Sandbox, s.Spec.Cluster, s.LowerName())
}

// groupKey returns the routing key of a route group, as sandboxKey does.
func groupKey(g *document.RouteGroup) (string, error) {
	return routingKey(g.Item, contract.RouteGroup, g.Spec.Cluster, strings.ToLower(g.Name))
}

func routingKey(item *krm.Item, kind, cluster, lowerName string) (string, error) {
	key, given := item.Annotation(contract.RoutingKeyKey)
	if !given {
		return contract.DeriveRoutingKey(kind, cluster, lowerName), nil
	}
	return key, contract.CheckRoutingKey(key)
}
