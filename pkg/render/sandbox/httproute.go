package sandbox

import (
	"strconv"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/manifest"
)

const gatewayVersion = "gateway.networking.k8s.io/v1"

// httpRoutes adds one HTTPRoute for each key and port of a baseline Service. Each sends what carries the key to the fork,
// and the rest to the baseline: a Service with routes refuses what none of them takes, so no route may count on another
// one's being there. Implementations merge the routes of a Service: the rule with more matched headers wins, and the
// last rules of all routes say the same.
func (r *rendering) httpRoutes(h *host) {
	for i := range h.ports {
		port := &h.ports[i]
		if !port.routable() {
			continue
		}
		parent := manifest.NewMap(
			text("group", ""), text("kind", "Service"), text("name", h.name), routeNumber("port", port.Number))
		baseline := manifest.NewMap(manifest.KV("backendRefs", backend(h.name, port.Number)))
		for j := range h.order {
			rule := &h.order[j]
			hash := contract.Hash("http-route", rule.key, h.namespace, h.name, strconv.Itoa(port.Number))
			r.add(gatewayVersion, "HTTPRoute", h.namespace, contract.ObjectName(hash, rule.name, h.name), &rule.owner,
				manifest.NewMap(
					manifest.KV("parentRefs", manifest.List{parent}),
					manifest.KV("rules", manifest.List{
						manifest.NewMap(
							manifest.KV("backendRefs", backend(rule.fork, port.Number)),
							manifest.KV("matches", r.gatewayMatches(rule.key)),
						),
						baseline,
					}),
				))
		}
	}
}

func backend(service string, port int) manifest.List {
	return manifest.List{manifest.NewMap(text("name", service), routeNumber("port", port))}
}

// gatewayMatches are alternatives: one for each header that may carry the key.
func (r *rendering) gatewayMatches(key string) manifest.List {
	matches := make(manifest.List, len(r.Headers))
	for i, header := range r.Headers {
		kind, value := "Exact", key
		if isList(header) {
			kind, value = "RegularExpression", memberPattern(key)
		}
		matches[i] = manifest.NewMap(manifest.KV("headers", manifest.List{
			manifest.NewMap(text("name", header), text("type", kind), text("value", value)),
		}))
	}
	return matches
}

// gatewayEndpoint adds the HTTPRoute of an endpoint's host name: it gives each request the key.
func (r *rendering) gatewayEndpoint(o *owner, e *published) {
	set := make(manifest.List, len(r.Headers))
	for i, header := range r.Headers {
		set[i] = manifest.NewMap(text("name", header), text("value", headerValue(header, o.key)))
	}
	r.add(gatewayVersion, "HTTPRoute", e.namespace, e.objectName(o), o, manifest.NewMap(
		manifest.KV("hostnames", manifest.Strings(e.hostname)),
		manifest.KV("parentRefs", manifest.List{manifest.NewMap(
			text("name", r.Gateway.Name), text("namespace", r.Gateway.Namespace))}),
		manifest.KV("rules", manifest.List{manifest.NewMap(
			manifest.KV("backendRefs", backend(e.service, e.port)),
			manifest.KV("filters", manifest.List{manifest.NewMap(
				manifest.KV("requestHeaderModifier", manifest.NewMap(manifest.KV("set", set))),
				text("type", "RequestHeaderModifier"),
			)}),
		)}),
	))
}
