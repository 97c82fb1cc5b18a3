package sandbox

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// renderRoutes makes the routes to the forks and reports the endpoints.
func (r *renderer) renderRoutes() {
	present := slices.DeleteFunc(slices.Clone(r.sandboxes), func(s *input) bool { return s.absent })
	for i := range r.groups {
		r.groups[i].services = r.targets(r.groups[i].RouteGroup)
	}
	r.routes = renderRoutes(present, r.groups, r.options.routing(r.name))
	r.list.Report(r.routes.results...)
	for _, e := range r.routes.endpoints {
		message := "endpoint " + e.name + ": " + e.url
		if !e.keyed {
			message += " with the header " + contract.RoutingHeader + ": " + e.key
		}
		r.list.Report(krm.At(e.item, e.at, krm.Info, message))
	}
}

// targets returns the Services in front of the workloads that a route group's targets name.
func (r *renderer) targets(g *document.RouteGroup) (services []routedService) {
	for _, e := range g.Spec.Endpoints {
		reference, ok := v1alpha1.TargetWorkload(e.Target)
		if !ok {
			continue
		}
		if w, err := r.baseline.find(reference); err == nil {
			for _, service := range w.services {
				services = append(services, w.routed(service, reference))
			}
		}
	}
	return services
}

// routed is a Service in front of a workload, which a document refers to by the reference.
func (w *workload) routed(service *service, reference v1alpha1.Workload) routedService {
	return routedService{workload: reference, namespace: w.namespace, baseline: service.name, ports: w.ports(service)}
}

func (f *fork) routed(reference v1alpha1.Workload) []routedService {
	services := make([]routedService, len(f.services))
	for i, s := range f.services {
		services[i] = f.baseline.routed(s.baseline, reference)
		services[i].fork = s.name
	}
	return services
}

// annotateEndpoints writes the endpoints on the documents, and removes what is no longer so.
func (r *renderer) annotateEndpoints() {
	lists := map[*krm.Item][]string{}
	for _, e := range r.routes.endpoints {
		lists[e.item] = append(lists[e.item], e.name+"="+strings.ReplaceAll(e.url, ",", "%2C"))
	}
	annotate := func(item *krm.Item) {
		text := strings.Join(lists[item], ",")
		switch old, has := item.Annotation(contract.EndpointsKey); {
		case text == "" && has:
			item.Unannotate(contract.EndpointsKey)
		case text != old:
			item.Annotate(contract.EndpointsKey, text)
		}
	}
	for _, s := range r.sandboxes {
		annotate(s.Item)
	}
	for _, group := range r.groups {
		annotate(group.Item)
	}
}
