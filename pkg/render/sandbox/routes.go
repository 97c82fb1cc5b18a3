package sandbox

import (
	"regexp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// The values of v1alpha1.RenderSandbox.Routing.
const (
	none       = "none"        // no objects; endpoints are still listed
	gatewayAPI = "gateway-api" // HTTPRoutes, gateway.networking.k8s.io/v1
	istio      = "istio"       // VirtualServices, networking.istio.io/v1
)

var modes = []string{none, gatewayAPI, istio}

// keyOwner is the sandbox or route group that owns a routing key. Its id is that of the sandbox whose forks the route
// is for, or empty.
type keyOwner struct{ kind, name, key, ttl, id string }

func (o keyOwner) label() string {
	if o.kind == contract.RouteGroup {
		return contract.RouteGroupKey
	}
	return contract.SandboxKey
}

// route is a rendered object.
type route struct {
	render.Manifest
	// owner is the sandbox or route group of the object; its kind is empty if several share it.
	owner keyOwner
}

// routeManifest is an object with routes, without a status.
type routeManifest[Spec any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec Spec `json:"spec"`
}

// addRoute adds an object for an owner.
func addRoute[Spec any](
	r *routing, kind metav1.TypeMeta, namespace, name string, owner keyOwner, spec Spec,
) *routeManifest[Spec] {
	object := &routeManifest[Spec]{kind, metav1.ObjectMeta{
		Name: name, Namespace: namespace,
		Annotations: map[string]string{contract.RenderedByKey: r.Name},
		Labels:      map[string]string{contract.ManagedByKey: contract.ManagedBy},
	}, spec}
	if owner.kind != "" {
		object.Labels[owner.label()] = contract.LabelValue(owner.name)
		object.Annotations[owner.label()], object.Annotations[contract.RoutingKeyKey] = owner.name, owner.key
		if owner.ttl != "" {
			object.Annotations[janitorKey] = owner.ttl
		}
	}
	if owner.id != "" {
		object.Labels[contract.SandboxIDKey], object.Annotations[contract.SandboxIDKey] = owner.id, owner.id
	}
	r.objects = append(r.objects, route{object, owner})
	return object
}

// Headers returns the names of all headers that can carry a routing key: the two of package contract, and those in
// which tracing libraries carry baggage (W3C Trace Context, Datadog and Jaeger).
func Headers() []string {
	return []string{contract.RoutingHeader, contract.BaggageHeader, "tracestate",
		"ot-baggage-" + contract.RoutingHeader, "uberctx-" + contract.RoutingHeader}
}

// DefaultHeaders returns the headers that are matched by default.
func DefaultHeaders() []string { return Headers()[:2] }

// isList reports whether a header holds a list of key=value members rather than only the routing key.
func isList(header string) bool { return header == contract.BaggageHeader || header == "tracestate" }

// memberPattern is a regular expression (RE2) for lists with the key as a member: `sd-routing-key=KEY`, with blanks
// where W3C Baggage allows them, and with properties after a semicolon. A value cannot contain a comma, so each comma
// ends a member. The pattern spans the whole header, since Istio matches the whole and implementations of the Gateway
// API differ; it is anchored, since some of these match a part.
func memberPattern(key string) string {
	return `^(?:.*,)?[ \t]*` + contract.RoutingHeader + `[ \t]*=[ \t]*` + regexp.QuoteMeta(key) + `[ \t]*(?:[,;].*)?$`
}

// headerValue is the value of a header that carries only the key.
func headerValue(header, key string) string {
	if isList(header) {
		return contract.RoutingHeader + "=" + key
	}
	return key
}
