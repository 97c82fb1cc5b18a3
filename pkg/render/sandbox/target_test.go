package sandbox

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// An IPv6 address gets brackets.
func TestHostsOfEndpoints(t *testing.T) {
	t.Parallel()
	s := box(t, "x", `{cluster: c, endpoints: [{name: service, host: Web.shop.svc.cluster.local., port: 81},
  {name: six, host: "::1", port: 1, protocol: grpc}, {name: four, host: 10.0.0.1, port: 1}]}`)
	out := renderRoutes([]*input{s}, nil, atGateway(gatewayAPI, "d.e"))
	assert.Equal(t, []string{
		"service spec.endpoints[0] http://service--" + s.key + ".d.e host name",
		"six spec.endpoints[1] grpc://[::1]:1 request", "four spec.endpoints[2] http://10.0.0.1:1 request",
	}, listed(out.endpoints))
	require.Len(t, out.objects, 1)
	assert.Contains(t, printed(out.objects), "  namespace: shop\nspec:\n  hostnames:\n  - service--"+s.key+".d.e\n")
	assert.Contains(t, printed(out.objects), "  - backendRefs:\n    - name: web\n      port: 81\n")
}

// The target of a workload in a route group is the Service of the baseline, or of the fork that the key leads to.
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
	options := routed(gatewayAPI)
	options.Cluster = "c"
	out := renderRoutes([]*input{s}, []routedGroup{g}, options)
	assert.Empty(t, out.results)
	assert.Equal(t, []string{
		"web spec.endpoints[0] http://web.shop.svc:80/a?b request", "api spec.endpoints[1] grpc://api.shop.svc:81 request",
		"near spec.endpoints[3] http://web.shop.svc:80 request",
	}, listed(out.endpoints))

	options.Gateway, options.GatewayDomain = "infra/edge", "d.e"
	published := printed(renderRoutes([]*input{s}, []routedGroup{g}, options).objects)
	assert.Contains(t, published, "  - web--"+g.key+".d.e\n  parentRefs:\n  - name: edge\n    namespace: infra\n"+
		"  rules:\n  - backendRefs:\n    - name: web-x\n      port: 80\n")
	assert.Contains(t, published, "  - api--"+g.key+".d.e\n  parentRefs:\n  - name: edge\n    namespace: infra\n"+
		"  rules:\n  - backendRefs:\n    - name: api\n      port: 81\n")

	g.services = []routedService{api}
	for _, options.Routing = range modes {
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
		}, found, options.Routing)
	}
}
