package sandbox

import (
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

var httpRoute = metav1.TypeMeta{APIVersion: gatewayv1.GroupVersion.String(), Kind: "HTTPRoute"}

// httpRoutes adds one HTTPRoute for each key and port of a baseline Service. Each sends requests with the key to the
// fork, and all others to the baseline: a Service with routes rejects requests that no route matches, so no route may
// depend on another one. Implementations merge the routes of a Service: the rule with more matched headers takes
// precedence, and the last rules of all routes are the same.
func (r *routing) httpRoutes(h *host) {
	rules := h.sortedRules()
	for i := range h.ports {
		if !h.ports[i].routable() {
			continue
		}
		port := h.ports[i].number
		parent := gatewayv1.ParentReference{
			Group: ptr.To[gatewayv1.Group](""), Kind: ptr.To[gatewayv1.Kind]("Service"),
			Name: gatewayv1.ObjectName(h.Name), Port: ptr.To(gatewayv1.PortNumber(port)),
		}
		baseline := gatewayv1.HTTPRouteRule{BackendRefs: backend(h.Name, port)}
		for _, rule := range rules {
			hash := contract.Hash("http-route", rule.key, h.Namespace, h.Name, strconv.Itoa(port))
			addRoute(r, httpRoute, h.Namespace, contract.ObjectName(hash, rule.name, h.Name), rule.keyOwner, gatewayv1.HTTPRouteSpec{
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

// gatewayMatches returns alternatives, one for each header that may carry the key.
func (r *routing) gatewayMatches(key string) []gatewayv1.HTTPRouteMatch {
	matches := make([]gatewayv1.HTTPRouteMatch, len(r.Headers))
	for i, header := range r.Headers {
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

// gatewayEndpoint adds the HTTPRoute of an endpoint's host name: it sets the key on each request.
func (r *routing) gatewayEndpoint(o keyOwner, name string, t *target) {
	set := make([]gatewayv1.HTTPHeader, len(r.Headers))
	for i, header := range r.Headers {
		set[i] = gatewayv1.HTTPHeader{Name: gatewayv1.HTTPHeaderName(header), Value: headerValue(header, o.key)}
	}
	namespace, gateway, _ := strings.Cut(r.Gateway, "/")
	addRoute(r, httpRoute, t.namespace, name, o, gatewayv1.HTTPRouteSpec{
		CommonRouteSpec: gatewayv1.CommonRouteSpec{ParentRefs: []gatewayv1.ParentReference{{
			Name: gatewayv1.ObjectName(gateway), Namespace: ptr.To(gatewayv1.Namespace(namespace)),
		}}},
		Hostnames: []gatewayv1.Hostname{gatewayv1.Hostname(t.url.Host)},
		Rules: []gatewayv1.HTTPRouteRule{{
			BackendRefs: backend(t.service, t.port),
			Filters: []gatewayv1.HTTPRouteFilter{{
				Type:                  gatewayv1.HTTPRouteFilterRequestHeaderModifier,
				RequestHeaderModifier: &gatewayv1.HTTPHeaderFilter{Set: set},
			}},
		}},
	})
}
