package load

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// kindKeys are the keys of a spec that only one kind has, current and former ones.
var kindKeys = []struct {
	kind string
	keys []string
}{
	{contract.ResourcePlugin, []string{"runner", "create", "delete"}},
	{contract.Sandbox, []string{
		"forks", "resources", "local", "virtual", "labels", "defaultRouteGroup", "middleware", "routing", "connection",
		"disableSandboxTrafficManager", "localMachineID", "resource", "locals", "tags", "workloads",
	}},
	{contract.RouteGroup, []string{"match"}},
}

// kindOf infers the kind of a native document from the keys of its spec. Misspelt keys count if there is no exact one.
func kindOf(spec *yaml.Node) (string, error) {
	if spec = dereference(spec); spec.Kind != yaml.MappingNode {
		return "", errors.New("spec must be a mapping")
	}
	for _, matches := range []func(string, []string) bool{
		func(key string, keys []string) bool { return slices.Contains(keys, key) },
		func(key string, keys []string) bool { near, _ := strictyaml.Nearest(key, keys); return near != "" },
	} {
		var best []string // the kinds that most keys belong to
		most := 1
		for _, one := range kindKeys {
			matching := 0
			for i := 0; i+1 < len(spec.Content); i += 2 {
				if matches(spec.Content[i].Value, one.keys) {
					matching++
				}
			}
			if matching > most {
				best, most = nil, matching
			}
			if matching == most {
				best = append(best, one.kind)
			}
		}
		switch len(best) {
		case 0:
			continue
		case 1:
			return best[0], nil
		}
		return "", fmt.Errorf("spec must be that of one kind: it has keys of a %s", strings.Join(best, " and of a "))
	}
	return shared(spec)
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
	for _, one := range kindKeys {
		kinds = append(kinds, fmt.Sprintf("%s for a %s", strings.Join(one.keys[:min(3, len(one.keys))], ", "), one.kind))
	}
	return "", fmt.Errorf("the kind of the document is not clear: spec must have one of %s", strings.Join(kinds, "; "))
}
