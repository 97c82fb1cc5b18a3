package sandbox_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/sandbox"
)

const group = `metadata: {name: features}
spec:
  cluster: staging
  description: all features
  match:
    any:
    - label: {key: team, value: shop-*}
    - all:
      - label: {key: a, value: b}
  endpoints:
  - {name: web, target: "http://web.shop.svc", cluster: other}
  ttl: {duration: 1w, offsetFrom: noMatchedSandboxes}
`

func TestReadRouteGroupTakesEveryField(t *testing.T) {
	t.Parallel()
	item, err := krm.NewItem([]byte(group))
	require.NoError(t, err)
	g, problems := sandbox.ReadRouteGroup(item)
	require.Empty(t, problems)
	assert.Equal(t, "features", g.Name)
	assert.Equal(t, sandbox.RouteGroupSpec{
		Cluster: "staging", Description: "all features",
		Match: &sandbox.Match{Any: []sandbox.Match{
			{Label: &sandbox.LabelMatch{Key: "team", Value: "shop-*"}},
			{All: []sandbox.Match{{Label: &sandbox.LabelMatch{Key: "a", Value: "b"}}}},
		}},
		Endpoints: []sandbox.RouteEndpoint{{Name: "web", Target: "http://web.shop.svc", Cluster: "other"}},
		TTL:       &sandbox.TTL{Duration: "1w", OffsetFrom: "noMatchedSandboxes"},
	}, g.Spec)
}

func TestReadRouteGroupNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]krm.Path{
		"metadata: {name: a}": {"spec"},
		"spec: {}":            {"spec.match"},
		"spec: {match: {label: {}}, endpoints: [{}], ttl: {}}": {
			"spec.match.label.key", "spec.match.label.value", "spec.endpoints[0].name", "spec.endpoints[0].target", "spec.ttl.duration",
		},
	} {
		item, err := krm.NewItem([]byte(text))
		require.NoError(t, err)
		_, problems := sandbox.ReadRouteGroup(item)
		var got []krm.Path
		for _, problem := range problems {
			got = append(got, problem.Path)
		}
		assert.Equal(t, want, got, text)
	}
}

func TestMatchesKnowTheirPlaces(t *testing.T) {
	t.Parallel()
	item, err := krm.NewItem([]byte(group))
	require.NoError(t, err)
	g, _ := sandbox.ReadRouteGroup(item)
	var paths []krm.Path
	for path := range sandbox.Matches(g.Spec.Match, "spec.match") {
		paths = append(paths, path)
	}
	want := []krm.Path{"spec.match", "spec.match.any[0]", "spec.match.any[1]", "spec.match.any[1].all[0]"}
	assert.Equal(t, want, paths)
	for stop := range want {
		var some []krm.Path
		for path := range sandbox.Matches(g.Spec.Match, "spec.match") {
			if some = append(some, path); len(some) > stop {
				break
			}
		}
		assert.True(t, slices.Equal(want[:stop+1], some))
	}
}
