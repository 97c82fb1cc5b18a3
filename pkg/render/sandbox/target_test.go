package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

func TestTargetsThatAreNoURL(t *testing.T) {
	t.Parallel()
	const problem = `must be a URL such as "http://web.shop.svc:8080", not `
	s := box(t, "x", `{cluster: c, defaultRouteGroup: {endpoints: [{name: e, target: "http://me@web.shop.svc"}, {name: good, target: "http://a"}]}}`)
	g := groupOf(t, "g", `{match: {label: {key: a, value: b}}, endpoints: [{name: e, target: "web"}]}`)
	out := renderRoutes([]*input{s}, []routedGroup{g}, routeOptions{mode: none})
	assert.Equal(t, []string{
		"[error] spec.defaultRouteGroup.endpoints[0].target: " + problem + `"http://me@web.shop.svc"`,
		"[error] spec.endpoints[0].target: " + problem + `"web"`,
	}, messages(out.results))
	assert.Equal(t, []string{"good spec.defaultRouteGroup.endpoints[1] http://a request"}, listed(out.endpoints))
}

// A host is taken as it is: nothing in it is read as a scheme, a port or a path, and an IPv6 address gets its brackets.
func TestHostsOfEndpoints(t *testing.T) {
	t.Parallel()
	s := box(t, "x", `{cluster: c, endpoints: [{name: user, host: "me@a.b.svc", port: 1},
  {name: path, host: "a.b.svc/path", port: 1}, {name: port, host: "a.b.svc:80", port: 1}, {name: query, host: "a.b.svc?", port: 1}, {name: space, host: "a b", port: 1},
  {name: service, host: Web.shop.svc.cluster.local., port: 81}, {name: six, host: "::1", port: 1, protocol: grpc}, {name: four, host: 10.0.0.1, port: 1}]}`)
	atGateway := &gateway{namespace: "infra", name: "edge", domain: "d.e"}
	out := renderRoutes([]*input{s}, nil, routeOptions{mode: gatewayAPI, gateway: atGateway})
	var errors []string
	for _, message := range messages(out.results) {
		if strings.HasPrefix(message, "[error]") {
			errors = append(errors, message)
		}
	}
	require.Len(t, errors, 5)
	for i, host := range []string{"me@a.b.svc", "a.b.svc/path", "a.b.svc:80", "a.b.svc?"} {
		assert.Equal(t, fmt.Sprintf("[error] spec.endpoints[%d].host: host must be a DNS name or an IP address such as %q, not %q: "+
			"leave out scheme, port and path", i, "web.shop.svc", host), errors[i])
	}
	assert.Equal(t, `[error] spec.endpoints[4].host: host must be a DNS name, of letters, digits and inner dashes between dots, or an `+
		`IP address, not "a b"`, errors[4])
	assert.Equal(t, []string{
		"service spec.endpoints[5] http://service--" + s.key + ".d.e host name",
		"six spec.endpoints[6] grpc://[::1]:1 request", "four spec.endpoints[7] http://10.0.0.1:1 request",
	}, listed(out.endpoints))
	require.Len(t, out.objects, 1)
	assert.Contains(t, printed(out.objects), "  namespace: shop\nspec:\n  hostnames:\n  - service--"+s.key+".d.e\n")
	assert.Contains(t, printed(out.objects), "  - backendRefs:\n    - name: web\n      port: 81\n")
}

// A route group's target of a workload is the Service in front of the baseline, and of a fork where the key leads to one.
func TestWorkloadsOfGroups(t *testing.T) {
	t.Parallel()
	s := box(t, "x", "{cluster: c, labels: {team: shop}}", forked("web", "x"))
	g := groupOf(t, "g", `{match: {label: {key: team, value: shop}}, endpoints: [{name: web, target: "http://web.shop.deploy:8080/a?b"},
  {name: api, target: "grpc://API.v2.shop.rollout:9000"}, {name: away, target: "http://away.shop.deploy:80", cluster: d},
  {name: near, target: "http://web.shop.deploy:8080", cluster: c}]}`)
	api := forked("api", "")
	api.workload, api.fork = v1alpha1.Workload{Kind: "ArgoRollout", Namespace: "shop", Name: "api.v2"}, ""
	api.ports = []port{{number: 53, protocol: "UDP", target: 53}, {number: 81, target: 9000}}
	web := forked("web", "")
	web.fork = ""
	g.services = []routedService{web, api}
	options := routeOptions{mode: gatewayAPI, cluster: "c"}
	out := renderRoutes([]*input{s}, []routedGroup{g}, options)
	assert.Empty(t, out.results)
	assert.Equal(t, []string{
		"web spec.endpoints[0] http://web.shop.svc:80/a?b request", "api spec.endpoints[1] grpc://api.shop.svc:81 request",
		"near spec.endpoints[3] http://web.shop.svc:80 request",
	}, listed(out.endpoints))

	options.gateway = &gateway{namespace: "infra", name: "edge", domain: "d.e"}
	published := printed(renderRoutes([]*input{s}, []routedGroup{g}, options).objects)
	assert.Contains(t, published, "  - web--"+g.key+".d.e\n  parentRefs:\n  - name: edge\n    namespace: infra\n"+
		"  rules:\n  - backendRefs:\n    - name: web-x\n      port: 80\n")
	assert.Contains(t, published, "  - api--"+g.key+".d.e\n  parentRefs:\n  - name: edge\n    namespace: infra\n"+
		"  rules:\n  - backendRefs:\n    - name: api\n      port: 81\n")

	g.services = []routedService{api}
	for _, options.mode = range modes {
		out = renderRoutes([]*input{s}, []routedGroup{g}, options)
		var found []string
		for _, f := range out.results {
			if f.Severity == krm.Error {
				found = append(found, f.Field.Path+": "+f.Message)
			}
		}
		const problem = "target must be a port of a workload in the list that a Service there selects, not %q: name the Service, as in %q"
		assert.Equal(t, []string{
			"spec.endpoints[0].target: " + fmt.Sprintf(problem, "http://web.shop.deploy:8080/a?b", "http://web.shop.svc:8080"),
			"spec.endpoints[3].target: " + fmt.Sprintf(problem, "http://web.shop.deploy:8080", "http://web.shop.svc:8080"),
		}, found, options.mode)
	}
}
