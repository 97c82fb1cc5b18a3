package sandbox

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Render makes the routes. The routing keys must be there; all of one namespace's Services must be those of one cluster.
func RenderRoutes(sandboxes []RoutedSandbox, groups []RoutedGroup, o RouteOptions) Routes {
	r := &rendering{
		RouteOptions: o, table: table{hosts: map[hostKey]*host{}}, owners: map[string]owner{},
	}
	if len(r.Headers) == 0 {
		r.Headers = DefaultHeaders()
	}
	for i := range sandboxes {
		r.addSandbox(&sandboxes[i])
	}
	matcher := newMatcher(sandboxes)
	for i := range groups {
		r.addGroup(&groups[i], matcher)
	}
	r.table.sort()
	for _, h := range r.table.order {
		switch o.Mode {
		case GatewayAPI:
			r.httpRoutes(h)
		case Istio:
			r.virtualService(h)
		case None:
		}
	}
	for i := range sandboxes {
		r.sandboxEndpoints(&sandboxes[i])
	}
	for i := range groups {
		r.groupEndpoints(&groups[i])
	}
	return r.out
}

// rendering is the state of one Render.
type rendering struct {
	RouteOptions

	table  table
	owners map[string]owner // by key
	out    Routes
}

func (r *rendering) report(item *krm.Item, at krm.Path, severity krm.Severity, format string, args ...any) {
	r.out.Findings = append(r.out.Findings, Finding{item, at, severity, fmt.Sprintf(format, args...)})
}

// own notes whose the key is. A key of two owners would send the requests of one to the forks of the other.
func (r *rendering) own(item *krm.Item, o owner) bool {
	other, taken := r.owners[o.key]
	if taken {
		r.report(item, KeyPath(), krm.Error, "routing key must not be %q, which is the key of %s %q: give another one",
			o.key, other.kind, other.name)
		return false
	}
	r.owners[o.key] = o
	return true
}

func (r *rendering) addSandbox(s *RoutedSandbox) {
	o := ownerOf(s)
	if !r.own(s.Item, o) {
		return
	}
	for i := range s.Services {
		service := &s.Services[i]
		if other, same := r.table.add(o, s, service); !same && r.Mode != None {
			r.report(s.Item, forkPath(s, service), krm.Error,
				"Service %q of namespace %q must have one fork in the sandbox, not %q and %q: fork one of the workloads it selects",
				service.Baseline, service.Namespace, other.fork, service.Fork)
		}
		r.reportPorts(s, service)
	}
}

// addGroup enters the forks of all matched sandboxes under the group's key. Two of one Service would make the way of a
// request ambiguous, which the RouteGroup documentation excludes.
func (r *rendering) addGroup(g *RoutedGroup, m *matcher) {
	o := groupOwner(g)
	if !r.own(g.Item, o) {
		return
	}
	for _, i := range m.matched(g) {
		s := &m.sandboxes[i]
		for j := range s.Services {
			service := &s.Services[j]
			if other, same := r.table.add(o, s, service); !same && other.sandbox != s.Name && r.Mode != None {
				r.report(g.Item, "spec.match", krm.Error,
					"must not match sandboxes %q and %q together, which both fork Service %q of namespace %q: label them apart",
					other.sandbox, s.Name, service.Baseline, service.Namespace)
			}
		}
	}
}

// forkPath is the fork in the sandbox that the service is for.
func forkPath(s *RoutedSandbox, service *RoutedService) krm.Path {
	for i := range s.Spec.Forks {
		if s.Spec.Forks[i].ForkOf == service.Workload {
			return krm.Path("spec.forks").Index(i).Key("forkOf")
		}
	}
	return "spec.forks"
}
