package document_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
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
	g, problems := document.ReadRouteGroup(item)
	require.Empty(t, problems)
	assert.Equal(t, "features", g.Name)
	assert.Equal(t, v1alpha1.RouteGroupSpec{
		Cluster: "staging", Description: "all features",
		Match: &v1alpha1.RouteGroupMatch{Any: []v1alpha1.RouteGroupMatch{
			{Label: &v1alpha1.LabelMatch{Key: "team", Value: "shop-*"}},
			{All: []v1alpha1.RouteGroupMatch{{Label: &v1alpha1.LabelMatch{Key: "a", Value: "b"}}}},
		}},
		Endpoints: []v1alpha1.RouteEndpoint{{Name: "web", Target: "http://web.shop.svc", Cluster: "other"}},
		TTL:       &v1alpha1.TTL{Duration: "1w", OffsetFrom: "noMatchedSandboxes"},
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
		_, problems := document.ReadRouteGroup(item)
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
	g, _ := document.ReadRouteGroup(item)
	var paths []krm.Path
	for path := range document.Matches(g.Spec.Match, "spec.match") {
		paths = append(paths, path)
	}
	want := []krm.Path{"spec.match", "spec.match.any[0]", "spec.match.any[1]", "spec.match.any[1].all[0]"}
	assert.Equal(t, want, paths)
	for stop := range want {
		var some []krm.Path
		for path := range document.Matches(g.Spec.Match, "spec.match") {
			if some = append(some, path); len(some) > stop {
				break
			}
		}
		assert.True(t, slices.Equal(want[:stop+1], some))
	}
}
