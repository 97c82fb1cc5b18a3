package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

const grpcRoute = "GRPCRoute"

// existingRoutes are the versions and kinds of users' own routes.
var existingRoutes = []struct {
	group    string
	versions []string
	kinds    []string
}{
	{"gateway.networking.k8s.io", []string{"v1", "v1beta1", "v1alpha2"}, []string{httpRoute.Kind, grpcRoute}},
	{"networking.istio.io", []string{"v1", "v1beta1", "v1alpha3"}, []string{virtualService.Kind}},
}

// virtualServiceHosts is the part of a VirtualService that selects requests.
type virtualServiceHosts struct {
	Gateways []string `json:"gateways"`
	Hosts    []string `json:"hosts"`
}

// reportExisting warns of users' routes for routed Services: both would apply. The error is that of an item that is not
// readable YAML.
func (r *renderer) reportExisting() error {
	if r.options.Routing == none || len(r.routes.hosts) == 0 {
		return nil
	}
	for _, source := range existingRoutes {
		for _, version := range source.versions {
			items, err := r.list.Select(source.group+"/"+version, source.kinds...)
			if err != nil {
				return err
			}
			for _, item := range items {
				if _, rendered := item.Annotation(contract.RenderedByKey); rendered {
					continue
				}
				o, err := render.ReadObject(item)
				if err != nil {
					return fmt.Errorf("%s %q: %w", item.Kind(), item.Name(), err)
				}
				r.reportRoute(item, child(o, "spec"))
			}
		}
	}
	return nil
}

// reportRoute warns if a route is for a routed Service. Specs that the API server would reject are ignored.
func (r *renderer) reportRoute(item *krm.Item, spec object) {
	namespace := r.baseline.namespaceOf(item)
	if item.Kind() == virtualService.Kind {
		var read virtualServiceHosts
		if runtime.DefaultUnstructuredConverter.FromUnstructured(spec, &read) != nil ||
			len(read.Gateways) > 0 && !slices.Contains(read.Gateways, "mesh") {
			return // it is for requests from outside
		}
		for i, name := range read.Hosts {
			r.reportTwice(item, krm.Path("spec.hosts").Index(i), serviceOf(name, namespace), nil)
		}
		return
	}
	var read gatewayv1.CommonRouteSpec
	if runtime.DefaultUnstructuredConverter.FromUnstructured(spec, &read) != nil {
		return
	}
	for i := range read.ParentRefs {
		parent := &read.ParentRefs[i]
		if parent.Kind == nil || *parent.Kind != "Service" {
			continue
		}
		service := types.NamespacedName{Namespace: namespace, Name: string(parent.Name)}
		if parent.Namespace != nil {
			service.Namespace = string(*parent.Namespace)
		}
		r.reportTwice(item, krm.Path("spec.parentRefs").Index(i), service, parent.Port)
	}
}

// reportTwice warns if requests to the Service are routed, on the port or, if it is nil, on any port.
func (r *renderer) reportTwice(item *krm.Item, at krm.Path, service types.NamespacedName, on *gatewayv1.PortNumber) {
	h := r.routes.hosts[service]
	isOn := func(p port) bool { return p.routable() && (on == nil || int(*on) == p.number) }
	if h == nil || !slices.ContainsFunc(h.ports, isOn) {
		return
	}
	by, advice := "rendered HTTPRoutes", "remove it from this "+item.Kind()+", or set routing none"
	if r.options.Routing == istio {
		by = "a rendered VirtualService"
	}
	effect := "a mesh uses only one of them"
	switch {
	case r.options.Routing == gatewayAPI && item.Kind() == grpcRoute:
		effect = "a Service must not have both kinds"
	case r.options.Routing == gatewayAPI && item.Kind() == httpRoute.Kind:
		effect = "of two HTTPRoutes the more specific path takes precedence, then the older route"
	case r.options.Routing == istio && item.Kind() == virtualService.Kind:
		effect = "Istio uses only one of them"
		advice = "remove the host from this VirtualService, or set routing none and match the routing key in it"
	}
	r.list.Report(krm.At(item, at, krm.Warning, fmt.Sprintf("Service %q of namespace %q is routed to forks by %s, too: %s; %s",
		service.Name, service.Namespace, by, effect, advice)))
}

// serviceOf returns the Service that a host of a VirtualService in a namespace refers to: NAME, NAME.NAMESPACE, or with
// ".svc" and a domain after it. It is empty if the host is not a Service's.
func serviceOf(host, namespace string) types.NamespacedName {
	labels := strings.Split(host, ".")
	switch {
	case len(labels) == 1:
		return types.NamespacedName{Namespace: namespace, Name: host}
	case len(labels) == 2 || labels[2] == "svc":
		return types.NamespacedName{Namespace: labels[1], Name: labels[0]}
	}
	return types.NamespacedName{}
}
