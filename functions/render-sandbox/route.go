package main

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/pkg/fork"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/route"
	"github.com/resource-plugins/krm-functions/pkg/sandbox"
)

// route makes the routes to the forks and lists the endpoints: as results, and on the documents that ask for them.
func (s *scene) route() {
	var sandboxes []route.Sandbox
	for _, of := range s.subjects {
		if of.absent {
			continue
		}
		lower := *of.Sandbox // the name as everything else that is rendered for the sandbox has it
		lower.Name = of.LowerName()
		routed := route.Sandbox{Sandbox: &lower, Key: of.key}
		for i, f := range of.work.forks {
			if f != nil {
				routed.Services = append(routed.Services, services(f, &of.Spec.Forks[i].ForkOf)...)
			}
		}
		sandboxes = append(sandboxes, routed)
	}
	s.routes = route.Render(sandboxes, s.ofCluster(), s.config.options(s.call.ConfigName))
	for _, finding := range s.routes.Findings {
		if finding.Item == nil {
			s.call.List.Report(krm.Result{Severity: finding.Severity, Message: finding.Message})
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

// ofCluster returns the route groups of the cluster that is rendered, and those of all clusters.
func (s *scene) ofCluster() []route.Group {
	cluster := s.config.Cluster
	if cluster == "" && len(s.subjects) > 0 {
		cluster = s.subjects[0].Spec.Cluster
	}
	return slices.DeleteFunc(s.groups, func(g route.Group) bool { return g.Spec.Cluster != "" && g.Spec.Cluster != cluster })
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

func services(f *fork.Fork, of *sandbox.Workload) []route.Service {
	out := make([]route.Service, len(f.Services))
	for i := range f.Services {
		service := &f.Services[i]
		out[i] = route.Service{
			Workload: *of, Namespace: f.Baseline.Namespace, Baseline: service.Baseline.Name, Fork: service.Name,
		}
		for _, port := range f.Baseline.Ports(service.Baseline) {
			out[i].Ports = append(out[i].Ports, route.Port{
				Name: port.Name, Number: port.Number, Target: port.Target, Protocol: port.Protocol, AppProtocol: port.AppProtocol,
			})
		}
	}
	return out
}
