package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// The golden files are for reviewers, and test/routes checks them against the real APIs.
func TestGolden(t *testing.T) {
	t.Parallel()
	api := forked("api", "x")
	api.ports = []port{
		{name: "http", number: 80, target: 8080}, {name: "rpc", number: 9000, appProtocol: "grpc"},
		{name: "redis", number: 6379}, {name: "dns", number: 53, protocol: "UDP"},
	}
	sandboxes := []*input{
		box(t, "feature-x", `{cluster: c, labels: {team: shop}, forks: [{forkOf: {kind: Deployment, namespace: shop, name: api},
  endpoints: [{name: raw, port: 8080, protocol: http}]}],
  defaultRouteGroup: {endpoints: [{name: api, target: "http://api.shop.svc/v1?q=1"}, {name: Deep, target: "http://api.shop.deploy:8080"},
  {name: other, target: "http://web.shop.svc:8080"}]}}`, api, forked("web", "x")),
		box(t, "a name: with \"signs\"\n and lines that are much longer than a label may ever be in Kubernetes",
			`{cluster: c, labels: {}}`, forked("api", "y")),
	}
	sandboxes[1].services[0].ports = api.ports
	groups := []routedGroup{groupOf(t, "all-of-shop",
		`{cluster: c, match: {label: {key: team, value: "sh*"}}, endpoints: [{name: front, target: "http://front.shop.svc.cluster.local:81"}]}`)}
	published := func(mode string) *Options {
		options := atGateway(mode, "preview.example.com")
		options.GatewayScheme, options.Headers = "https", Headers()
		return options
	}
	for file, o := range map[string]*Options{
		"gateway-api.yaml":         routed(gatewayAPI),
		"gateway-api-gateway.yaml": published(gatewayAPI),
		"istio.yaml":               routed(istio),
		"istio-gateway.yaml":       published(istio),
	} {
		out := renderRoutes(sandboxes, groups, o)
		for _, f := range out.results {
			assert.Equal(t, "info", string(f.Severity), f.Message)
		}
		routeCompare(t, file, printed(out.objects))
	}
}

func routeCompare(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, path)
}

func TestRefused(t *testing.T) {
	t.Parallel()
	one, two := box(t, "one", "{cluster: c, labels: {a: b}}", forked("web", "one")), box(t, "two", "{cluster: c, labels: {a: b}}", forked("web", "two"))
	copied := *two
	same := &copied
	same.key = one.key
	twice := box(t, "twice", "{cluster: c}", forked("web", "p"), forked("web", "q"))
	for name, c := range map[string]struct {
		sandboxes []*input
		group     string
		want      string
	}{
		"one key twice":      {[]*input{one, same}, "", `which is the key of Sandbox "one": give another one`},
		"two forks":          {[]*input{twice}, "", `must have one fork in the sandbox, not "web-p" and "web-q"`},
		"an ambiguous group": {[]*input{one, two}, "{match: {label: {key: a, value: '*'}}}", `must not match sandboxes "one" and "two" together`},
		"a target of no fork": {[]*input{box(t, "x", `{cluster: c, defaultRouteGroup: {endpoints: [{name: e, target: "http://web.shop.deploy:8080"}]}}`)}, "",
			`target must be a port of a workload that the sandbox forks`},
		"a port of no Service": {[]*input{box(t, "x", `{cluster: c, forks: [{forkOf: {kind: Deployment, namespace: shop, name: web}, endpoints: [{name: e, port: 1}]}]}`, forked("web", "x"))}, "",
			`port must be one that a Service of the workload leads to, not 1`},
	} {
		var groups []routedGroup
		if c.group != "" {
			groups = append(groups, groupOf(t, "g", c.group))
		}
		for _, mode := range modes {
			found := messages(renderRoutes(c.sandboxes, groups, routed(mode)).results)
			if mode == none && (name == "two forks" || name == "an ambiguous group") {
				assert.Empty(t, found, "no request has two ways where none is routed")
				continue
			}
			require.Len(t, found, 1, name)
			assert.Contains(t, found[0], "[error]", name)
			assert.Contains(t, found[0], c.want, name)
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	s := box(t, "Feature-X", "{cluster: c}")
	assert.Equal(t, s.key, box(t, "feature-x", "{cluster: c}").key, "case does not count")
	assert.NotEqual(t, s.key, box(t, "feature-x", "{cluster: d}").key)
	assert.NotEqual(t, s.key, groupOf(t, "feature-x", "{cluster: c, match: {label: {key: a, value: b}}}").key)
	given := box(t, "x", "{cluster: c}")
	given.Item.Annotate(contract.RoutingKeyKey, "mine")
	key, _, err := document.RoutingKey(given.Item, "c")
	require.NoError(t, err)
	assert.Equal(t, "mine", key)
	for _, bad := range []string{"", "A", "a,b", "a.*", "a;b", "a b"} {
		given.Item.Annotate(contract.RoutingKeyKey, bad)
		_, _, err := document.RoutingKey(given.Item, "c")
		require.ErrorContains(t, err, "routing key", bad)
	}
}

// Without configured headers the default ones are matched: a route without matches would take every request.
func TestRender_matchesTheDefaultHeaders(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{gatewayAPI, istio} {
		var rendered [2]string
		for i, headers := range [][]string{DefaultHeaders(), {}} {
			options := routed(mode)
			options.Headers = headers
			documents := list(t, forkDeployment, serviceManifest("name: web, namespace: ns", "selector: {app: web}, ports: [{port: 80}]"),
				"apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: s}\n"+
					"spec: {cluster: c, forks: [{forkOf: {kind: Deployment, namespace: ns, name: web}}]}\n")
			summary, err := Render(documents, *options)
			require.NoError(t, err)
			require.Equal(t, 1, summary.Routes)
			var out strings.Builder
			_, err = documents.WriteTo(&out)
			require.NoError(t, err)
			rendered[i] = out.String()
		}
		assert.Equal(t, rendered[0], rendered[1], mode)
	}
}

// The page lists every header that can carry a key.
func TestPageListsTheHeaders(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "howto", "routing.md"))
	require.NoError(t, err)
	for _, header := range Headers() {
		assert.Contains(t, string(page), "`"+header+"`")
	}
}
