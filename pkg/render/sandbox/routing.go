package sandbox

import (
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// renderRoutes makes the routes by which requests find the forks of sandboxes. A request that carries the routing key of a
// sandbox, or of a route group that matches the sandbox, goes to the sandbox's fork of the service it is for; every other
// request goes to the baseline, as it would without us.
//
// From the sandboxes and route groups comes a table: for each baseline Service its forks, each under one key. It becomes
// HTTPRoutes of the Gateway API, one for each key and port, so that sandboxes rendered apart do not touch one another's; or
// VirtualServices of Istio, one for each Service, since two for one host are not merged.
//
// The routing keys must be set; all of one namespace's Services must be those of one cluster.
func renderRoutes(sandboxes []*input, groups []routedGroup, o routeOptions) routes {
	r := &routing{
		routeOptions: o, table: table{hosts: map[hostKey]*host{}}, owners: map[string]keyOwner{},
	}
	if len(r.headers) == 0 {
		r.headers = DefaultHeaders()
	}
	for _, s := range sandboxes {
		r.addSandbox(s)
	}
	matcher := newMatcher(sandboxes)
	for i := range groups {
		r.addGroup(&groups[i], matcher)
	}
	r.table.sort()
	for _, h := range r.table.order {
		switch o.mode {
		case gatewayAPI:
			r.httpRoutes(h)
		case istio:
			r.virtualService(h)
		}
	}
	for _, s := range sandboxes {
		r.sandboxEndpoints(s)
	}
	for i := range groups {
		r.groupEndpoints(&groups[i])
	}
	return r.out
}

// routing is the state of one renderRoutes.
type routing struct {
	routeOptions

	table  table
	owners map[string]keyOwner // by key
	out    routes
}

// claim notes whose the key is. A key of two owners would send the requests of one to the forks of the other.
func (r *routing) claim(item *krm.Item, o keyOwner) bool {
	other, taken := r.owners[o.key]
	if taken {
		r.report(item, keyPath(), krm.Error, "routing key must not be %q, which is the key of %s %q: give another one",
			o.key, other.kind, other.name)
		return false
	}
	r.owners[o.key] = o
	return true
}

func (r *routing) addSandbox(s *input) {
	o := s.keyOwner()
	if !r.claim(s.Item, o) {
		return
	}
	for i := range s.services {
		service := &s.services[i]
		if other, same := r.table.add(o, s, service); !same && r.mode != none {
			r.report(s.Item, s.forkPath(service), krm.Error,
				"Service %q of namespace %q must have one fork in the sandbox, not %q and %q: fork one of the workloads it selects",
				service.baseline, service.namespace, other.fork, service.fork)
		}
		r.reportPorts(s, service)
	}
}

// addGroup adds the forks of all matched sandboxes under the group's key. Two of one Service would make the target of a
// request ambiguous, which the RouteGroup documentation excludes.
func (r *routing) addGroup(g *routedGroup, m *matcher) {
	o := g.keyOwner()
	if !r.claim(g.Item, o) {
		return
	}
	for _, i := range m.matched(g) {
		s := m.sandboxes[i]
		for j := range s.services {
			service := &s.services[j]
			if other, same := r.table.add(o, s, service); !same && other.sandbox != s.Name && r.mode != none {
				r.report(g.Item, "spec.match", krm.Error,
					"must not match sandboxes %q and %q together, which both fork Service %q of namespace %q: label them apart",
					other.sandbox, s.Name, service.baseline, service.namespace)
			}
		}
	}
}

// forkPath is the fork in the sandbox that the service is for.
func (s *input) forkPath(service *routedService) krm.Path {
	for i := range s.Spec.Forks {
		if s.Spec.Forks[i].ForkOf == service.workload {
			return forkPath(i).Key("forkOf")
		}
	}
	return "spec.forks"
}
