package sandbox_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

// listed words endpoints as NAME PLACE URL, and what carries the key.
func listed(endpoints []sandbox.RoutedEndpoint) []string {
	var out []string
	for _, e := range endpoints {
		carrier := "request"
		if e.Keyed {
			carrier = "host name"
		}
		out = append(out, strings.Join([]string{e.Name, string(e.At), e.URL, carrier}, " "))
	}
	return out
}

// Every sort of endpoint is listed; at a Gateway those are published that lead to a Service which speaks without TLS.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	const long = "a-name-that-is-much-longer-than-a-label-of-a-host-name-may-ever-be"
	const spec = `{cluster: c, endpoints: [{name: old, host: web.shop.svc, port: 8080}, {name: db, host: db.example.com, port: 5432, protocol: grpc}],
  forks: [{forkOf: {kind: Deployment, namespace: shop, name: api}}, {forkOf: {kind: Deployment, namespace: shop, name: web},
    endpoints: [{name: raw, port: 8443, protocol: grpc}]}],
  defaultRouteGroup: {endpoints: [{name: tls, target: "https://web.shop.svc"}, {name: workload, target: "https://web.shop.deploy"},
    {name: ` + long + `, target: "http://web.shop.svc/?q=1"}]}}`
	web := forked("web", "x")
	web.Ports = []sandbox.RoutedPort{{Name: "grpc", Number: 80, Target: 8443}, {Name: "https", Number: 444, Target: 443}}
	s := box(t, "x", spec, forked("api", "x"), web)
	plain := []string{
		"tls spec.defaultRouteGroup.endpoints[0] https://web.shop.svc request",
		"workload spec.defaultRouteGroup.endpoints[1] https://web.shop.svc:444 request",
		long + " spec.defaultRouteGroup.endpoints[2] http://web.shop.svc/?q=1 request",
		"old spec.endpoints[0] http://web.shop.svc:8080 request",
		"db spec.endpoints[1] grpc://db.example.com:5432 request",
		"raw spec.forks[1].endpoints[0] grpc://web.shop.svc:80 request",
	}
	gateway := &sandbox.Gateway{Namespace: "infra", Name: "edge", Domain: "d.example.com"}
	for _, mode := range sandbox.Modes {
		out := sandbox.RenderRoutes([]sandbox.RoutedSandbox{s}, nil, sandbox.RouteOptions{Mode: mode})
		assert.Equal(t, plain, listed(out.Endpoints), mode)

		out = sandbox.RenderRoutes([]sandbox.RoutedSandbox{s}, nil, sandbox.RouteOptions{Mode: mode, Gateway: gateway})
		if mode == sandbox.None {
			assert.Equal(t, plain, listed(out.Endpoints), "there is no route to a Gateway's host names")
			continue
		}
		got := listed(out.Endpoints)
		require.Len(t, got, len(plain), mode)
		for _, i := range []int{0, 1, 4} { // TLS, and outside of the cluster
			assert.Equal(t, plain[i], got[i], mode)
		}
		assert.Equal(t, "old spec.endpoints[0] http://old--"+s.Key+".d.example.com host name", got[3], mode)
		assert.Equal(t, "raw spec.forks[1].endpoints[0] http://raw--"+s.Key+".d.example.com host name", got[5], mode)
		label, rest, _ := strings.Cut(strings.TrimPrefix(out.Endpoints[2].URL, "http://"), ".")
		assert.LessOrEqual(t, len(label), 63, label)
		assert.Equal(t, "d.example.com/?q=1", rest)
		informed := 0
		for _, message := range messages(out.Findings) {
			if strings.Contains(message, "must lead to a Service that speaks without TLS") {
				informed++
			}
		}
		assert.Equal(t, 3, informed, mode)
	}
}

// A Service none of whose ports carries headers has no routes, and the user is told.
func TestServicesWithoutHeaders(t *testing.T) {
	t.Parallel()
	s := forked("cache", "x")
	s.Ports = []sandbox.RoutedPort{{Name: "redis", Number: 6379}, {Number: 53, Protocol: "UDP"}}
	for mode, told := range map[sandbox.Mode]int{sandbox.None: 0, sandbox.GatewayAPI: 2, sandbox.Istio: 2} {
		out := sandbox.RenderRoutes([]sandbox.RoutedSandbox{box(t, "x", "{cluster: c}", s)}, nil, sandbox.RouteOptions{Mode: mode})
		assert.Empty(t, out.Objects, mode)
		assert.Len(t, out.Findings, told, mode)
		for _, message := range messages(out.Findings) {
			assert.Contains(t, message, "[info]")
			assert.Contains(t, message, "all of them go to the baseline")
		}
	}
}

// Two groups cannot share a key: the second is refused, whichever sandboxes they match.
func TestGroupsOfOneKey(t *testing.T) {
	t.Parallel()
	first := groupOf(t, "first", "{match: {label: {key: a, value: b}}}")
	second := groupOf(t, "second", "{match: {label: {key: a, value: c}}}")
	second.Key = first.Key
	out := sandbox.RenderRoutes(nil, []sandbox.RoutedGroup{first, second}, sandbox.RouteOptions{Mode: sandbox.GatewayAPI})
	require.Len(t, out.Findings, 1)
	assert.Contains(t, messages(out.Findings)[0], `which is the key of RouteGroup "first": give another one`)
	assert.Equal(t, second.Item, out.Findings[0].Item)
}
