package sandbox

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

var httpRoute = metav1.TypeMeta{APIVersion: gatewayv1.GroupVersion.String(), Kind: "HTTPRoute"}

// httpRoutes adds one HTTPRoute for each key and port of a baseline Service. Each sends what carries the key to the fork,
// and the rest to the baseline: a Service with routes refuses what none of them takes, so no route may count on another
// one's being there. Implementations merge the routes of a Service: the rule with more matched headers wins, and the
// last rules of all routes say the same.
func (r *routing) httpRoutes(h *host) {
	for i := range h.ports {
		if !h.ports[i].routable() {
			continue
		}
		port := h.ports[i].number
		parent := gatewayv1.ParentReference{
			Group: ptr.To[gatewayv1.Group](""), Kind: ptr.To[gatewayv1.Kind]("Service"),
			Name: gatewayv1.ObjectName(h.name), Port: ptr.To(gatewayv1.PortNumber(port)),
		}
		baseline := gatewayv1.HTTPRouteRule{BackendRefs: backend(h.name, port)}
		for j := range h.order {
			rule := &h.order[j]
			hash := contract.Hash("http-route", rule.key, h.namespace, h.name, strconv.Itoa(port))
			addRoute(r, httpRoute, h.namespace, contract.ObjectName(hash, rule.name, h.name), rule.keyOwner, gatewayv1.HTTPRouteSpec{
				CommonRouteSpec: gatewayv1.CommonRouteSpec{ParentRefs: []gatewayv1.ParentReference{parent}},
				Rules: []gatewayv1.HTTPRouteRule{
					{BackendRefs: backend(rule.fork, port), Matches: r.gatewayMatches(rule.key)},
					baseline,
				},
			})
		}
	}
}

func backend(service string, port int) []gatewayv1.HTTPBackendRef {
	object := gatewayv1.BackendObjectReference{
		Name: gatewayv1.ObjectName(service), Port: ptr.To(gatewayv1.PortNumber(port)),
	}
	return []gatewayv1.HTTPBackendRef{{BackendRef: gatewayv1.BackendRef{BackendObjectReference: object}}}
}

// gatewayMatches are alternatives: one for each header that may carry the key.
func (r *routing) gatewayMatches(key string) []gatewayv1.HTTPRouteMatch {
	matches := make([]gatewayv1.HTTPRouteMatch, len(r.headers))
	for i, header := range r.headers {
		match := gatewayv1.HTTPHeaderMatch{
			Type: ptr.To(gatewayv1.HeaderMatchExact), Name: gatewayv1.HTTPHeaderName(header), Value: key,
		}
		if isList(header) {
			match.Type, match.Value = ptr.To(gatewayv1.HeaderMatchRegularExpression), memberPattern(key)
		}
		matches[i].Headers = []gatewayv1.HTTPHeaderMatch{match}
	}
	return matches
}

// gatewayEndpoint adds the HTTPRoute of an endpoint's host name: it gives each request the key.
func (r *routing) gatewayEndpoint(o keyOwner, e *published) {
	set := make([]gatewayv1.HTTPHeader, len(r.headers))
	for i, header := range r.headers {
		set[i] = gatewayv1.HTTPHeader{Name: gatewayv1.HTTPHeaderName(header), Value: headerValue(header, o.key)}
	}
	addRoute(r, httpRoute, e.namespace, e.objectName(o), o, gatewayv1.HTTPRouteSpec{
		CommonRouteSpec: gatewayv1.CommonRouteSpec{ParentRefs: []gatewayv1.ParentReference{{
			Name: gatewayv1.ObjectName(r.gateway.name), Namespace: ptr.To(gatewayv1.Namespace(r.gateway.namespace)),
		}}},
		Hostnames: []gatewayv1.Hostname{gatewayv1.Hostname(e.hostname)},
		Rules: []gatewayv1.HTTPRouteRule{{
			BackendRefs: backend(e.service, e.port),
			Filters: []gatewayv1.HTTPRouteFilter{{
				Type:                  gatewayv1.HTTPRouteFilterRequestHeaderModifier,
				RequestHeaderModifier: &gatewayv1.HTTPHeaderFilter{Set: set},
			}},
		}},
	})
}
