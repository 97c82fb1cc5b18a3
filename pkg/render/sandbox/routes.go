package sandbox

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// The values of v1alpha1.RenderSandbox.Routing.
const (
	none       = "none"        // no objects; endpoints are still listed
	gatewayAPI = "gateway-api" // HTTPRoutes, gateway.networking.k8s.io/v1
	istio      = "istio"       // VirtualServices, networking.istio.io/v1
)

var modes = []string{none, gatewayAPI, istio}

// routeOptions are what a user can choose.
type routeOptions struct {
	mode string
	// renderedBy is the value of the annotation contract.RenderedByKey.
	renderedBy string
	// headers are those that a request may carry the key in, each one of Headers(). Empty means DefaultHeaders().
	headers []string
	// cluster is the one that is rendered; empty if it is not known. Endpoints of route groups in another are left out.
	cluster string
	// gateway publishes the endpoints under host names of their own; nil leaves them inside the mesh.
	gateway *gateway
}

// gateway is a Gateway of the Gateway API or of Istio, as the mode is, that endpoints are published at.
type gateway struct {
	namespace, name string
	domain          string // what the endpoints' host names end in: ENDPOINT--KEY.DOMAIN
	scheme          string // of the endpoints' URLs: http (the default) or https
}

// routedGroup is a route group.
type routedGroup struct {
	*document.RouteGroup

	key string // the routing key
	// services are those in front of the workloads that its targets name, forked or not.
	services []routedService
}

// routedService is a baseline Service and its fork, both in one namespace.
type routedService struct {
	// workload is the baseline: fork endpoints and targets such as http://NAME.NS.deploy:PORT mean it.
	workload v1alpha1.Workload
	// namespace, baseline and fork name the two Services; a group's have no fork.
	namespace, baseline, fork string
	// ports are those of the baseline Service; the fork has the same.
	ports []port
}

// routes are what is rendered for sandboxes and route groups.
type routes struct {
	// objects are the Services' routes by namespace, baseline Service, port and key, whatever the order of the documents;
	// then those of the endpoints, in the order of endpoints.
	objects []route
	// endpoints are in the order of the documents and of their fields.
	endpoints []endpoint
	// results are in the order of the documents. With an error among them the objects must not be used.
	results krm.Results
}

// route is a rendered object.
type route struct {
	render.Manifest
	// owner is what the object is for; its kind is empty if it serves several.
	owner keyOwner
}

// endpoint is a URL that leads into a sandbox or a route group.
type endpoint struct {
	// item is the document that lists it, at the path.
	item *krm.Item
	at   krm.Path
	name string
	// url is where to send requests. If it is keyed it carries the key by its host name; else the request must carry it.
	url, key string
	keyed    bool
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
		Annotations: map[string]string{contract.RenderedByKey: r.renderedBy},
		Labels:      map[string]string{contract.ManagedByKey: contract.ManagedBy},
	}, spec}
	if owner.kind != "" {
		object.Labels[owner.label()] = contract.LabelValue(owner.name)
		object.Annotations[owner.label()], object.Annotations[contract.RoutingKeyKey] = owner.name, owner.key
		if owner.ttl != "" {
			object.Annotations[janitorKey] = owner.ttl
		}
	}
	r.out.objects = append(r.out.objects, route{object, owner})
	return object
}

func (r *routing) report(item *krm.Item, at krm.Path, severity krm.Severity, format string, args ...any) {
	r.out.results = append(r.out.results, krm.At(item, at, severity, fmt.Sprintf(format, args...)))
}
