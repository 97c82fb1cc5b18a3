package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listed formats endpoints as NAME PLACE URL, followed by how the key is transmitted.
func listed(endpoints []endpoint) []string {
	var out []string
	for _, e := range endpoints {
		carrier := "request"
		if e.keyed {
			carrier = "host name"
		}
		out = append(out, strings.Join([]string{e.name, string(e.at), e.url, carrier}, " "))
	}
	return out
}

// All kinds of endpoints are listed. A Gateway publishes those that lead to a Service without TLS.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	const long = "a-name-that-is-much-longer-than-a-label-of-a-host-name-may-ever-be"
	const spec = `{cluster: c, endpoints: [{name: old, host: web.shop.svc, port: 8080}, {name: db, host: db.example.com, port: 5432, protocol: grpc}],
  forks: [{forkOf: {kind: Deployment, namespace: shop, name: api}}, {forkOf: {kind: Deployment, namespace: shop, name: web},
    endpoints: [{name: raw, port: 8443, protocol: grpc}]}],
  defaultRouteGroup: {endpoints: [{name: tls, target: "https://web.shop.svc"}, {name: workload, target: "https://web.shop.deploy"},
    {name: ` + long + `, target: "http://web.shop.svc/?q=1"}]}}`
	web := forked("web", "x")
	web.ports = []port{{name: "grpc", number: 80, target: 8443}, {name: "https", number: 444, target: 443}}
	s := box(t, "x", spec, forked("api", "x"), web)
	plain := []string{
		"tls spec.defaultRouteGroup.endpoints[0] https://web.shop.svc request",
		"workload spec.defaultRouteGroup.endpoints[1] https://web.shop.svc:444 request",
		long + " spec.defaultRouteGroup.endpoints[2] http://web.shop.svc/?q=1 request",
		"old spec.endpoints[0] http://web.shop.svc:8080 request",
		"db spec.endpoints[1] grpc://db.example.com:5432 request",
		"raw spec.forks[1].endpoints[0] grpc://web.shop.svc:80 request",
	}
	for _, mode := range modes {
		out := renderRoutes([]*input{s}, nil, routed(mode))
		assert.Equal(t, plain, listed(out.endpoints), mode)

		out = renderRoutes([]*input{s}, nil, atGateway(mode, "d.example.com"))
		if mode == none {
			assert.Equal(t, plain, listed(out.endpoints), "there is no route to a Gateway's host names")
			continue
		}
		got := listed(out.endpoints)
		require.Len(t, got, len(plain), mode)
		for _, i := range []int{0, 1, 4} { // TLS, and outside the cluster
			assert.Equal(t, plain[i], got[i], mode)
		}
		assert.Equal(t, "old spec.endpoints[0] http://old--"+s.key+".d.example.com host name", got[3], mode)
		assert.Equal(t, "raw spec.forks[1].endpoints[0] http://raw--"+s.key+".d.example.com host name", got[5], mode)
		label, rest, _ := strings.Cut(strings.TrimPrefix(out.endpoints[2].url, "http://"), ".")
		assert.LessOrEqual(t, len(label), 63, label)
		assert.Equal(t, "d.example.com/?q=1", rest)
		informed := 0
		for _, message := range messages(out.results) {
			if strings.Contains(message, "must lead to a Service that speaks without TLS") {
				informed++
			}
		}
		assert.Equal(t, 3, informed, mode)
	}
}

// A Service has no routes if none of its ports carries headers, which is reported.
func TestServicesWithoutHeaders(t *testing.T) {
	t.Parallel()
	s := forked("cache", "x")
	s.ports = []port{{name: "redis", number: 6379}, {number: 53, protocol: "UDP"}}
	for mode, told := range map[string]int{none: 0, gatewayAPI: 2, istio: 2} {
		out := renderRoutes([]*input{box(t, "x", "{cluster: c}", s)}, nil, routed(mode))
		assert.Empty(t, out.objects, mode)
		assert.Len(t, out.results, told, mode)
		for _, message := range messages(out.results) {
			assert.Contains(t, message, "[info]")
			assert.Contains(t, message, "all of them go to the baseline")
		}
	}
}

// Two groups cannot share a key: the second is rejected, even if they match different sandboxes.
func TestGroupsOfOneKey(t *testing.T) {
	t.Parallel()
	first := groupOf(t, "first", "{match: {label: {key: a, value: b}}}")
	second := groupOf(t, "second", "{match: {label: {key: a, value: c}}}")
	second.key = first.key
	out := renderRoutes(nil, []routedGroup{first, second}, routed(gatewayAPI))
	require.Len(t, out.results, 1)
	assert.Contains(t, messages(out.results)[0], `which is the key of RouteGroup "first": give another one`)
	assert.Equal(t, "second", out.results[0].ResourceRef.Name)
}
