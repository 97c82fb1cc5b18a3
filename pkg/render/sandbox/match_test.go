package sandbox

import (
	"testing"

	"github.com/stretchr/testify/assert"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// members returns the sandboxes with forks that the group's key leads to, read from the rendered routes. Each sandbox forks
// the Service with its name.
func members(t *testing.T, sandboxes map[string]string, spec string) []string {
	t.Helper()
	var boxes []*input
	for _, name := range []string{"a", "b", "c"} {
		boxes = append(boxes, box(t, name, sandboxes[name], forked(name, "fork")))
	}
	var found []string
	for _, object := range renderRoutes(boxes, []routedGroup{groupOf(t, "g", spec)}, routed(gatewayAPI)).objects {
		if object.owner.name == "g" {
			found = append(found, string(object.Manifest.(*routeManifest[gatewayv1.HTTPRouteSpec]).Spec.ParentRefs[0].Name))
		}
	}
	return found
}

func TestGroupsMatchLabels(t *testing.T) {
	t.Parallel()
	sandboxes := map[string]string{
		"a": "{cluster: one, labels: {team: shop-api, feature: 'x.y/z'}}",
		"b": "{cluster: one, labels: {team: shop, feature: Ünï}}",
		"c": "{cluster: two, labels: {team: 'sh*'}}",
	}
	for match, want := range map[string][]string{
		"label: {key: team, value: shop}":                                                                  {"b"},
		"label: {key: team, value: 'shop*'}":                                                               {"a", "b"},
		"label: {key: team, value: '*'}":                                                                   {"a", "b", "c"},
		"label: {key: team, value: 'sh?p'}":                                                                {"b"},
		"label: {key: team, value: '*-*i'}":                                                                {"a"},
		"label: {key: team, value: 'sho[p]'}":                                                              nil,
		"label: {key: team, value: 'SHOP'}":                                                                nil,
		"label: {key: 'te*', value: '*'}":                                                                  nil,
		"label: {key: feature, value: 'x*z'}":                                                              {"a"},
		"label: {key: feature, value: '?n?'}":                                                              {"b"},
		"any: [{label: {key: team, value: shop}}, {label: {key: team, value: 'sh\\*'}}]":                   {"b"},
		"any: [{label: {key: team, value: 'sho*'}}, {label: {key: team, value: 's*'}}]":                    {"a", "b", "c"},
		"all: [{label: {key: team, value: 's*'}}, {label: {key: feature, value: '*'}}]":                    {"a", "b"},
		"all: [{label: {key: team, value: 's*'}}, {any: [{all: [{label: {key: feature, value: 'x*'}}]}]}]": {"a"},
		"any: []": nil,
		"all: []": nil,
	} {
		assert.Equal(t, want, members(t, sandboxes, "{match: {"+match+"}}"), match)
	}
	assert.Equal(t, []string{"a", "b"}, members(t, sandboxes, "{cluster: one, match: {label: {key: team, value: '*'}}}"))
	assert.Equal(t, []string{"c"}, members(t, sandboxes, "{cluster: two, match: {label: {key: team, value: '*'}}}"))
}
