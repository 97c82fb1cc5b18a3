package function

import (
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

// route makes the routes to the forks and lists the endpoints: as results, and on the documents that ask for them.
func (s *scene) route() {
	var sandboxes []sandbox.RoutedSandbox
	for _, of := range s.subjects {
		if of.absent {
			continue
		}
		lower := *of.Sandbox // the name as everything else that is rendered for the sandbox has it
		lower.Name = of.LowerName()
		routed := sandbox.RoutedSandbox{Sandbox: &lower, Key: of.key}
		for i, f := range of.work.forks {
			if f != nil {
				routed.Services = append(routed.Services, forkedServices(f, of.Spec.Forks[i].ForkOf)...)
			}
		}
		sandboxes = append(sandboxes, routed)
	}
	for i := range s.groups {
		s.groups[i].Services = s.targets(s.groups[i].RouteGroup)
	}
	options := s.config.options(s.call.ConfigName)
	options.Cluster = s.clusterName
	s.routes = sandbox.RenderRoutes(sandboxes, s.groups, options)
	for _, finding := range s.routes.Findings {
		if finding.Item == nil {
			s.call.List.Report(krm.NewResult(finding.Severity, finding.Message))
			continue
		}
		s.call.List.Report(krm.At(finding.Item, finding.At, finding.Severity, finding.Message))
	}
	for _, e := range s.routes.Endpoints {
		message := "endpoint " + e.Name + ": " + e.URL
		if !e.Keyed {
			message += " with the header " + contract.RoutingHeader + ": " + e.Key
		}
		s.call.List.Report(krm.At(e.Item, e.At, krm.Info, message))
	}
}

// targets returns the Services in front of the workloads that a route group's targets name.
func (s *scene) targets(g *document.RouteGroup) (services []sandbox.RoutedService) {
	for _, e := range g.Spec.Endpoints {
		named, ok := v1alpha1.TargetWorkload(e.Target)
		if !ok {
			continue
		}
		if w, err := s.cluster.Find(named); err == nil {
			for _, service := range w.Services {
				services = append(services, inFront(w, service, named))
			}
		}
	}
	return services
}

// annotateEndpoints writes the endpoints on the documents, and takes off what is no longer so.
func (s *scene) annotateEndpoints() {
	lists := map[*krm.Item][]string{}
	for _, e := range s.routes.Endpoints {
		lists[e.Item] = append(lists[e.Item], e.Name+"="+strings.ReplaceAll(e.URL, ",", "%2C"))
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
	for _, of := range s.subjects {
		annotate(of.Item)
	}
	for _, group := range s.groups {
		annotate(group.Item)
	}
}

func forkedServices(f *sandbox.Fork, of v1alpha1.Workload) []sandbox.RoutedService {
	services := make([]sandbox.RoutedService, len(f.Services))
	for i := range f.Services {
		services[i] = inFront(f.Baseline, f.Services[i].Baseline, of)
		services[i].Fork = f.Services[i].Name
	}
	return services
}

// inFront is a Service in front of a workload, which a document names as it is named there.
func inFront(w *sandbox.Workload, service *sandbox.BaselineService, named v1alpha1.Workload) sandbox.RoutedService {
	out := sandbox.RoutedService{Workload: named, Namespace: w.Namespace, Baseline: service.Name}
	for _, port := range w.Ports(service) {
		out.Ports = append(out.Ports, sandbox.RoutedPort{
			Name: port.Name, Number: port.Number, Target: port.Target, Protocol: port.Protocol, AppProtocol: port.AppProtocol,
		})
	}
	return out
}
