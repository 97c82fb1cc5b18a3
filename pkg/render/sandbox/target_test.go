package sandbox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

func TestTargetsThatAreNoURL(t *testing.T) {
	t.Parallel()
	const problem = `must be a URL such as "http://web.shop.svc:8080", not `
	s := box(t, "x", `{cluster: c, defaultRouteGroup: {endpoints: [{name: e, target: "http://me@web.shop.svc"}, {name: good, target: "http://a"}]}}`)
	g := groupOf(t, "g", `{match: {label: {key: a, value: b}}, endpoints: [{name: e, target: "web"}]}`)
	out := sandbox.RenderRoutes([]sandbox.RoutedSandbox{s}, []sandbox.RoutedGroup{g}, sandbox.RouteOptions{Mode: sandbox.None})
	assert.Equal(t, []string{
		"[error] spec.defaultRouteGroup.endpoints[0].target: " + problem + `"http://me@web.shop.svc"`,
		"[error] spec.endpoints[0].target: " + problem + `"web"`,
	}, messages(out.Findings))
	assert.Equal(t, []string{"good spec.defaultRouteGroup.endpoints[1] http://a request"}, listed(out.Endpoints))
}

// A host is taken as it is: nothing in it is read as a scheme, a port or a path, and an IPv6 address gets its brackets.
func TestHostsOfEndpoints(t *testing.T) {
	t.Parallel()
	s := box(t, "x", `{cluster: c, endpoints: [{name: user, host: "me@a.b.svc", port: 1},
  {name: path, host: "a.b.svc/path", port: 1}, {name: port, host: "a.b.svc:80", port: 1}, {name: query, host: "a.b.svc?", port: 1}, {name: space, host: "a b", port: 1},
  {name: service, host: Web.shop.svc.cluster.local., port: 81}, {name: six, host: "::1", port: 1, protocol: grpc}, {name: four, host: 10.0.0.1, port: 1}]}`)
	gateway := &sandbox.Gateway{Namespace: "infra", Name: "edge", Domain: "d.e"}
	out := sandbox.RenderRoutes([]sandbox.RoutedSandbox{s}, nil, sandbox.RouteOptions{Mode: sandbox.GatewayAPI, Gateway: gateway})
	var errors []string
	for _, message := range messages(out.Findings) {
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
		"service spec.endpoints[5] http://service--" + s.Key + ".d.e host name",
		"six spec.endpoints[6] grpc://[::1]:1 request", "four spec.endpoints[7] http://10.0.0.1:1 request",
	}, listed(out.Endpoints))
	require.Len(t, out.Objects, 1)
	assert.Contains(t, printed(out.Objects), "  namespace: shop\nspec:\n  hostnames:\n  - service--"+s.Key+".d.e\n")
	assert.Contains(t, printed(out.Objects), "  - backendRefs:\n    - name: web\n      port: 81\n")
}

// A route group's target of a workload is the Service in front of the baseline, and of a fork where the key leads to one.
func TestWorkloadsOfGroups(t *testing.T) {
	t.Parallel()
	s := box(t, "x", "{cluster: c, labels: {team: shop}}", forked("web", "x"))
	g := groupOf(t, "g", `{match: {label: {key: team, value: shop}}, endpoints: [{name: web, target: "http://web.shop.deploy:8080/a?b"},
  {name: api, target: "grpc://API.v2.shop.rollout:9000"}, {name: away, target: "http://away.shop.deploy:80", cluster: d},
  {name: near, target: "http://web.shop.deploy:8080", cluster: c}]}`)
	api := forked("api", "")
	api.Workload, api.Fork = v1alpha1.Workload{Kind: "ArgoRollout", Namespace: "shop", Name: "api.v2"}, ""
	api.Ports = []sandbox.RoutedPort{{Number: 53, Protocol: "UDP", Target: 53}, {Number: 81, Target: 9000}}
	web := forked("web", "")
	web.Fork = ""
	g.Services = []sandbox.RoutedService{web, api}
	options := sandbox.RouteOptions{Mode: sandbox.GatewayAPI, Cluster: "c"}
	out := sandbox.RenderRoutes([]sandbox.RoutedSandbox{s}, []sandbox.RoutedGroup{g}, options)
	assert.Empty(t, out.Findings)
	assert.Equal(t, []string{
		"web spec.endpoints[0] http://web.shop.svc:80/a?b request", "api spec.endpoints[1] grpc://api.shop.svc:81 request",
		"near spec.endpoints[3] http://web.shop.svc:80 request",
	}, listed(out.Endpoints))

	options.Gateway = &sandbox.Gateway{Namespace: "infra", Name: "edge", Domain: "d.e"}
	published := printed(sandbox.RenderRoutes([]sandbox.RoutedSandbox{s}, []sandbox.RoutedGroup{g}, options).Objects)
	assert.Contains(t, published, "  - web--"+g.Key+".d.e\n  parentRefs:\n  - name: edge\n    namespace: infra\n"+
		"  rules:\n  - backendRefs:\n    - name: web-x\n      port: 80\n")
	assert.Contains(t, published, "  - api--"+g.Key+".d.e\n  parentRefs:\n  - name: edge\n    namespace: infra\n"+
		"  rules:\n  - backendRefs:\n    - name: api\n      port: 81\n")

	g.Services = []sandbox.RoutedService{api}
	for _, options.Mode = range sandbox.Modes {
		out = sandbox.RenderRoutes([]sandbox.RoutedSandbox{s}, []sandbox.RoutedGroup{g}, options)
		var found []string
		for _, f := range out.Findings {
			if f.Severity == krm.Error {
				found = append(found, string(f.At)+": "+f.Message)
			}
		}
		const problem = "target must be a port of a workload in the list that a Service there selects, not %q: name the Service, as in %q"
		assert.Equal(t, []string{
			"spec.endpoints[0].target: " + fmt.Sprintf(problem, "http://web.shop.deploy:8080/a?b", "http://web.shop.svc:8080"),
			"spec.endpoints[3].target: " + fmt.Sprintf(problem, "http://web.shop.deploy:8080", "http://web.shop.svc:8080"),
		}, found, options.Mode)
	}
}
