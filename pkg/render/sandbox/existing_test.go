package sandbox

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const routedService80 = `apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{name: http, port: 80}, {name: tcp, port: 90}]}
`

const routedWeb = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}}
`

const forkOfWeb = `apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata: {name: s}
spec: {cluster: c, forks: [{forkOf: {kind: Deployment, namespace: shop, name: web}}]}
`

// A user's route for a Service with forks is reported; routes for other hosts are not.
func TestRender_warnsOfExistingRoutes(t *testing.T) {
	t.Parallel()
	const istioV1, gatewayV1 = "networking.istio.io/v1", "gateway.networking.k8s.io/v1"
	type test struct {
		apiVersion, kind, namespace, spec string

		routing string
		at      krm.Path // empty if there is no warning
		says    string
	}
	virtual := func(namespace, spec, routing string, at krm.Path, says string) test {
		return test{istioV1, virtualService.Kind, namespace, spec, routing, at, says}
	}
	attached := func(kind, namespace, parent, routing string, at krm.Path, says string) test {
		return test{gatewayV1, kind, namespace, "{parentRefs: [" + parent + "]}", routing, at, says}
	}
	const host, parent, web = "spec.hosts[0]", "spec.parentRefs[0]", "{kind: Service, name: web}"
	for name, c := range map[string]test{
		"host by its name": virtual("shop", "{hosts: [web]}", istio, host,
			`Service "web" of namespace "shop" is routed to forks by a rendered VirtualService, too: Istio uses only one of them; `+
				"remove the host from this VirtualService, or set routing none and match the routing key in it"),
		"host by its namespace":   virtual("mesh", "{hosts: [web.shop]}", istio, host, `Service "web" of namespace "shop"`),
		"host of two":             virtual("shop", "{hosts: [api, web]}", istio, "spec.hosts[1]", "Istio uses"),
		"VirtualService at Edge":  virtual("shop", "{hosts: [web], gateways: [edge]}", istio, "", ""),
		"other namespace":         virtual("other", "{hosts: [web]}", istio, "", ""),
		"external host":           virtual("shop", "{hosts: [web.shop.example.com]}", istio, "", ""),
		"VirtualService, Gateway": virtual("shop", "{hosts: [web]}", gatewayAPI, host, "a mesh uses only one of them"),
		"no routes are rendered":  virtual("shop", "{hosts: [web]}", none, "", ""),
		"invalid":                 virtual("shop", "{hosts: web}", istio, "", ""),
		"host in full, of the mesh": virtual("client", "{hosts: [web.shop.svc.cluster.local], gateways: [edge, mesh]}", istio, host,
			"Istio uses"),
		"older version": {"networking.istio.io/v1beta1", "VirtualService", "shop", "{hosts: [web]}", istio, host, "Istio uses"},

		"HTTPRoute of the Service": attached("HTTPRoute", "shop", web, gatewayAPI, parent, "rendered HTTPRoutes, too: of two "+
			"HTTPRoutes the more specific path takes precedence, then the older route; remove it from this HTTPRoute, or set routing none"),
		"HTTPRoute of a client's namespace": attached("HTTPRoute", "client", "{kind: Service, name: web, namespace: shop}",
			gatewayAPI, parent, "older"),
		"HTTPRoute of the port": attached("HTTPRoute", "shop", "{kind: Service, name: web, port: 80}", gatewayAPI, parent, "older"),
		"HTTPRoute of another port": attached("HTTPRoute", "shop", "{kind: Service, name: web, port: 90}", gatewayAPI,
			"", ""),
		"HTTPRoute of a Gateway":      attached("HTTPRoute", "shop", "{name: web}", gatewayAPI, "", ""),
		"HTTPRoute with istio":        attached("HTTPRoute", "shop", web, istio, parent, "a mesh uses"),
		"GRPCRoute of the Service":    attached("GRPCRoute", "shop", web, gatewayAPI, parent, "both kinds"),
		"GRPCRoute of something else": attached("GRPCRoute", "shop", "{kind: Service, name: api}", gatewayAPI, "", ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			route := fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: mine, namespace: %s}\nspec: %s\n",
				c.apiVersion, c.kind, c.namespace, c.spec)
			documents := list(t, routedService80, routedWeb, forkOfWeb, route)
			_, err := Render(documents, *routed(c.routing))
			require.NoError(t, err)
			var warnings krm.Results
			for _, result := range documents.Results() {
				if result.Severity == krm.Warning {
					warnings = append(warnings, result)
				}
			}
			if c.at == "" {
				assert.Empty(t, warnings)
				return
			}
			require.Len(t, warnings, 1)
			assert.Equal(t, c.kind, warnings[0].ResourceRef.Kind)
			assert.Equal(t, string(c.at), warnings[0].Field.Path)
			assert.Contains(t, warnings[0].Message, c.says)
		})
	}
}

// Rendered routes are not reported as users' routes.
func TestRender_doesNotWarnOfRenderedRoutes(t *testing.T) {
	t.Parallel()
	for _, routing := range []string{gatewayAPI, istio} {
		documents := list(t, routedService80, routedWeb, forkOfWeb)
		for range 2 {
			summary, err := Render(documents, *routed(routing))
			require.NoError(t, err)
			require.Equal(t, 1, summary.Routes)
		}
		for _, result := range documents.Results() {
			assert.Equal(t, krm.Info, result.Severity, result.Message)
		}
	}
}
