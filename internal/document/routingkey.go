package document

import (
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// RoutingKeyPath is the path of the annotation that sets the routing key of a sandbox or route group.
func RoutingKeyPath() krm.Path { return krm.Path("metadata.annotations").Key(contract.RoutingKeyKey) }

// RoutingKey returns the routing key of a sandbox or route group: derived from its cluster and name, or, if given, the
// value of the annotation contract.RoutingKeyKey. An invalid annotation is an error.
func RoutingKey(item *krm.Item, cluster string) (key string, given bool, err error) {
	if key, given = item.Annotation(contract.RoutingKeyKey); given {
		return key, true, contract.CheckRoutingKey(key)
	}
	return contract.DeriveRoutingKey(item.Kind(), cluster, strings.ToLower(item.Name())), false, nil
}
