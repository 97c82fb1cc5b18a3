package sandbox

import (
	"strconv"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/manifest"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const istioVersion = "networking.istio.io/v1"

// Limits of one VirtualService, in bytes of JSON.
const (
	// maxApplied is what `kubectl apply` without --server-side can keep in an annotation (TotalAnnotationSizeLimitB of
	// k8s.io/apimachinery).
	maxApplied = 262_144
	// maxObject is what etcd takes (its --max-request-bytes is 1.5 MiB), with room for what the API server adds.
	maxObject = 1_500_000
)

// virtualService adds the one VirtualService of a baseline Service. Its routes are tried in order: the keys' first, by
// key, then those that send every other request to the baseline, for each port that takes streams. The short names of
// hosts are those of the VirtualService's own namespace.
func (r *rendering) virtualService(h *host) {
	var routes manifest.List
	for i := range h.ports {
		if port := &h.ports[i]; port.routable() {
			for j := range h.order {
				routes = append(routes, r.keyed(&h.order[j], port.Number))
			}
		}
	}
	if len(routes) == 0 {
		return
	}
	for i := range h.ports {
		if port := &h.ports[i]; port.stream() {
			routes = append(routes, manifest.NewMap(
				manifest.KV("match", manifest.List{manifest.NewMap(routeNumber("port", port.Number))}),
				text("name", "baseline-"+strconv.Itoa(port.Number)),
				manifest.KV("route", destination(h.name, port.Number)),
			))
		}
	}
	name := contract.ObjectName(contract.Hash("virtual-service", h.namespace, h.name), h.name)
	tree := r.add(istioVersion, "VirtualService", h.namespace, name, nil, manifest.NewMap(
		manifest.KV("hosts", manifest.Strings(h.name)),
		manifest.KV("http", routes),
	))
	r.reportSize(h, tree)
}

// keyed is the route to a fork: any of the headers, on the port.
func (r *rendering) keyed(rule *rule, port int) manifest.Map {
	matches := make(manifest.List, len(r.Headers))
	for i, header := range r.Headers {
		match := text("exact", rule.key)
		if isList(header) {
			match = text("regex", memberPattern(rule.key))
		}
		matches[i] = manifest.NewMap(
			manifest.KV("headers", manifest.NewMap(manifest.KV(header, manifest.NewMap(match)))),
			routeNumber("port", port),
		)
	}
	return manifest.NewMap(
		manifest.KV("match", matches),
		text("name", contract.LabelValue(rule.name)+"-"+rule.key+"-"+strconv.Itoa(port)),
		manifest.KV("route", destination(rule.fork, port)),
	)
}

func destination(host string, port int) manifest.List {
	return manifest.List{manifest.NewMap(manifest.KV("destination", manifest.NewMap(
		text("host", host),
		manifest.KV("port", manifest.NewMap(routeNumber("number", port))),
	)))}
}

func (r *rendering) reportSize(h *host, tree manifest.Map) {
	size := len(manifest.AppendJSON(nil, tree))
	switch {
	case size > maxObject:
		r.report(h.first.Item, h.at, krm.Error, "Service %q of namespace %q must be forked by fewer sandboxes than %d: "+
			"its VirtualService has %d bytes and the API server takes %d; use routing gateway-api, which makes an object "+
			"for each sandbox",
			h.name, h.namespace, len(h.order), size, maxObject)
	case size > maxApplied:
		r.report(h.first.Item, h.at, krm.Warning, "the VirtualService of Service %q of namespace %q must be applied with "+
			"--server-side: it has %d bytes, and kubectl apply keeps at most %d", h.name, h.namespace, size, maxApplied)
	}
}

// istioEndpoint adds the VirtualService of an endpoint's host name: it gives each request the key.
func (r *rendering) istioEndpoint(o *owner, e *published) {
	set := make([]manifest.Field, len(r.Headers))
	for i, header := range r.Headers {
		set[i] = text(header, headerValue(header, o.key))
	}
	r.add(istioVersion, "VirtualService", e.namespace, e.objectName(o), o, manifest.NewMap(
		manifest.KV("gateways", manifest.Strings(r.Gateway.Namespace+"/"+r.Gateway.Name)),
		manifest.KV("hosts", manifest.Strings(e.hostname)),
		manifest.KV("http", manifest.List{manifest.NewMap(
			manifest.KV("headers", manifest.NewMap(manifest.KV("request", manifest.NewMap(
				manifest.KV("set", manifest.NewMap(set...)))))),
			manifest.KV("route", destination(e.service, e.port)),
		)}),
	))
}
