package native

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/pkg/decode"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// telling are the keys of a spec that only one kind has, with those that they had before.
var telling = []struct {
	kind string
	keys []string
}{
	{contract.ResourcePlugin, []string{"runner", "create", "delete"}},
	{contract.Sandbox, []string{
		"forks", "resources", "local", "virtual", "labels", "defaultRouteGroup", "middleware", "routing", "connection",
		"resource", "locals", "tags", "workloads",
	}},
	{contract.RouteGroup, []string{"match"}},
}

// kindOf finds out by the keys of its spec what a native document is. A misspelt key counts as the one it is near to.
func kindOf(spec *yaml.Node) (string, error) {
	for spec.Kind == yaml.AliasNode {
		spec = spec.Alias
	}
	if spec.Kind != yaml.MappingNode {
		return "", fmt.Errorf("spec must be a mapping")
	}
	var votes [3]int
	for i := 0; i+1 < len(spec.Content); i += 2 {
		for n, one := range telling {
			votes[n] += vote(spec.Content[i].Value, one.keys)
		}
	}
	best, second := winner(votes[:])
	switch {
	case votes[best] == 0:
		return shared(spec)
	case votes[best] == votes[second]:
		return "", fmt.Errorf("spec must be that of one kind: it has keys of a %s and of a %s",
			telling[best].kind, telling[second].kind)
	}
	return telling[best].kind, nil
}

// vote is how much a key speaks for a kind: a key as it must be counts more than any number of misspelt ones.
func vote(key string, keys []string) int {
	const exact, near = 1000, 1
	for _, known := range keys {
		if key == known {
			return exact
		}
	}
	if nearest, _ := decode.Nearest(key, keys); nearest != "" {
		return near
	}
	return 0
}

func winner(votes []int) (best, second int) {
	best, second = 0, 1
	for n := range votes {
		switch {
		case votes[n] > votes[best]:
			best, second = n, best
		case n != best && (votes[n] > votes[second] || second == best):
			second = n
		}
	}
	return best, second
}

// shared decides between the kinds that have `cluster`, `endpoints` and `ttl`: a RouteGroup's endpoints have targets,
// and only a Sandbox must have a cluster.
func shared(spec *yaml.Node) (string, error) {
	if endpoints := krm.Value(spec, "endpoints"); endpoints != nil && endpoints.Kind == yaml.SequenceNode {
		for _, endpoint := range endpoints.Content {
			if krm.Value(endpoint, "target") != nil {
				return contract.RouteGroup, nil
			}
		}
		return contract.Sandbox, nil
	}
	if krm.Value(spec, "cluster") != nil {
		return contract.Sandbox, nil
	}
	var kinds []string
	for _, one := range telling {
		kinds = append(kinds, fmt.Sprintf("%s for a %s", strings.Join(one.keys[:min(3, len(one.keys))], ", "), one.kind))
	}
	return "", fmt.Errorf("spec must tell what the document is: %s", strings.Join(kinds, "; "))
}
